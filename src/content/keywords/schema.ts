import type { SchemaOptions } from '@sinclair/typebox'
import { t } from 'elysia'
import { iso31661Alpha2ToNumeric } from 'iso-3166'
import { withRule } from '../../http/rule'
import {
  Id,
  Integer,
  NonBlank,
  Nullable,
  OneOf,
  PatchBody,
  RequestBody,
  Timestamp,
  type TypeOf,
  VISIBLE,
} from '../../http/schema'
import { MARKS_MAX, withoutInvisible } from '../../letters'
import { normalizeKeyword } from './text'

/** Keywords as the API returns and accepts them (contract 6.2). */

/** Rank trackers report results beyond this position as "not found". */
const POSITION_MAX = 100

/** ISO 3166-1 alpha-2. */
const COUNTRIES = new Set(Object.keys(iso31661Alpha2ToNumeric).sort())

export const Device = OneOf(['desktop', 'mobile'], { title: 'Device', examples: ['desktop'] })

/** A rule checks the value: a union of 249 codes would fill each error message. */
export const Country = withRule(
  t.String({
    title: 'Country',
    enum: [...COUNTRIES],
    maxLength: 64,
    description:
      'ISO 3166-1 alpha-2, in capitals: where the search is made. `US` for a new keyword without it.',
    examples: ['US'],
  }),
  code => {
    if (COUNTRIES.has(code)) return undefined
    return code.toUpperCase() === 'UK'
      ? 'must be GB for the United Kingdom'
      : 'must be a country code of ISO 3166-1 in capitals, such as US or DE'
  },
)

/** Characters of a tag. */
export const TAG_MAX = 40

/** A comma or a semicolon would divide it in a CSV file. */
export const Tag = t.String({
  minLength: 1,
  maxLength: TAG_MAX,
  pattern: '^[^\\s,;]([^,;\\r\\n\\t]*[^\\s,;])?$',
  description: 'Without commas, semicolons, tabs and line breaks.',
  examples: ['brewing'],
})

/** Characters after normalization. */
const KEYWORD_MAX = 200
/** Characters as sent, white space included. */
const KEYWORD_SENT_MAX = 1000
/** A CSV file of nothing but marks took 2 s. */
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MARKS_MAX + 1}}`, 'u')

const KeywordFields = {
  keyword: withRule(
    NonBlank({
      // Not anchored: from `NOT_BLANK`, generators of valid texts make long ones without white space.
      pattern: VISIBLE,
      maxLength: KEYWORD_SENT_MAX,
      description: `White space is trimmed, each run of it becomes one space, and soft hyphens and zero-width spaces are removed; at most ${KEYWORD_MAX} characters are left then.`,
      examples: ['cold brew coffee'],
    }),
    text => {
      if (TOO_MANY_MARKS.test(withoutInvisible(text)))
        return `must not have more than ${MARKS_MAX} combining marks in a row`
      return normalizeKeyword(text).length > KEYWORD_MAX
        ? `must have at most ${KEYWORD_MAX} characters`
        : undefined
    },
  ),
  tracked: t.Boolean({
    description: 'Whether its rankings fire `keyword.ranked`; true when absent.',
    examples: [true],
  }),
  country: Country,
  device: Device,
  tags: t.Array(Tag, {
    maxItems: 10,
    uniqueItems: true,
    description: 'Names by which keywords are grouped; upper and lower case differ.',
    examples: [['brewing', 'q3']],
  }),
}

export const Position = (options: SchemaOptions) =>
  Integer({ minimum: 1, maximum: POSITION_MAX, examples: [7], ...options })

export const RankingPosition = Nullable(
  Position({ description: 'Among the results; null when not found.' }),
)

export const Keyword = t.Object(
  {
    id: Id('kw'),
    project_id: Id('prj'),
    ...KeywordFields,
    latest_position: RankingPosition,
    position_change: Nullable(
      Integer({
        minimum: -POSITION_MAX,
        maximum: POSITION_MAX,
        description:
          'How many positions better than in the ranking before; negative is worse. "Not found" counts as 101. Null before the second ranking.',
        examples: [3],
      }),
    ),
    latest_checked_at: Nullable(Timestamp, {
      description: 'Time of the latest ranking; null before the first.',
    }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Keyword' },
)
export type Keyword = TypeOf<typeof Keyword>

export const NewKeyword = RequestBody(
  {
    keyword: KeywordFields.keyword,
    tracked: t.Optional(KeywordFields.tracked),
    country: t.Optional(KeywordFields.country),
    device: t.Optional(KeywordFields.device),
    tags: t.Optional(KeywordFields.tags),
  },
  { title: 'KeywordInput' },
)
export type NewKeyword = TypeOf<typeof NewKeyword>
export const KeywordChanges = PatchBody(KeywordFields, { title: 'KeywordChanges' })
