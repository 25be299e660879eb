import { t } from 'elysia'
import { Id, Nullable, RequestBody, Time, Timestamp, type TypeOf } from '../../http/schema'
import { RankingPosition } from '../keywords/schema'

/** Rankings as the API returns and accepts them (contract 6.3). */

const RankingFields = {
  position: RankingPosition,
  url: Nullable(
    t.String({
      maxLength: 2048,
      description: 'The page that was found: an http or https URL.',
      examples: ['https://blog.acme.com/cold-brew-coffee'],
    }),
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
      Time({
        description:
          'The time of the search, within the last year; now when absent. A time up to five minutes in the future is stored as now.',
        // None stays true.
        examples: [],
      }),
    ),
  },
  { title: 'RankingInput' },
)
