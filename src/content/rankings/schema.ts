import { t } from 'elysia'
import { withRule } from '../../http/rule'
import { Id, Nullable, RequestBody, Time, Timestamp, type TypeOf } from '../../http/schema'
import { RankingPosition } from '../keywords/schema'

/** Rankings as the API returns and accepts them (contract 6.3). */

/** A `checked_at` up to this many seconds in the future is stored as now, because clocks differ. */
const CLOCK_TOLERANCE_S = 300

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text)

const RankingFields = {
  position: RankingPosition,
  url: withRule(
    Nullable(
      t.String({
        maxLength: 2048,
        description: 'The page that was found: an http or https URL.',
        examples: ['https://blog.acme.com/cold-brew-coffee'],
      }),
    ),
    url => (url === null || isHttpUrl(url) ? undefined : 'must be an http or https URL, or null'),
  ),
  checked_at: Timestamp,
}

export const Ranking = t.Object(
  {
    id: Id('rnk'),
    keyword_id: Id('kw'),
    ...RankingFields,
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Ranking' },
)
export type Ranking = TypeOf<typeof Ranking>

export const NewRanking = RequestBody(
  {
    position: RankingFields.position,
    url: t.Optional(RankingFields.url),
    checked_at: t.Optional(
      withRule(
        Time({
          description:
            'The time of the search; now when absent. A time up to five minutes in the future is stored as now.',
          // None stays true.
          examples: [],
        }),
        at =>
          Date.parse(at) > Date.now() + CLOCK_TOLERANCE_S * 1000
            ? 'is in the future. Check your clock, or leave it out for now.'
            : undefined,
      ),
    ),
  },
  { title: 'RankingInput' },
)
