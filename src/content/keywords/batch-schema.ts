import { t } from 'elysia'
import type { Detail } from '../../errors'
import { createMemberCheck, createRuleCheck } from '../../http/request/member-check'
import { withRule } from '../../http/rule'
import { Id, Integer, OneOf, RequestBody, type TypeOf } from '../../http/schema'
import { NewGeneration } from '../generations/schema'
import { CSV_LINES_MAX, CSV_MAX } from './csv-file'
import { GENERATIONS_MAX } from './limits'
import { Country, Keyword, NewKeyword } from './schema'

/** Bodies and results for many keywords (contract 6.21, 6.22, 6.24). */

/** Keywords of one request. */
const BATCH_MAX = 500
/** Mistakes of a batch from which on no further keyword is checked. */
const DETAILS_MAX = 100

/** Adds what is wrong with one new keyword, with its rules. */
export const checkNewKeyword = createMemberCheck(NewKeyword)
const checkRules = createRuleCheck(NewKeyword)

const checkEach = (keywords: readonly unknown[]): Detail[] | undefined => {
  const details: Detail[] = []
  for (const [n, keyword] of keywords.entries()) {
    const wrong: Detail[] = []
    checkRules(keyword, wrong)
    details.push(...wrong.map(({ path, message }) => ({ path: `${n}.${path}`, message })))
    if (details.length >= DETAILS_MAX) break
  }
  return details.length === 0 ? undefined : details
}

export const KeywordBatch = RequestBody(
  {
    keywords: withRule(t.Array(NewKeyword, { minItems: 1, maxItems: BATCH_MAX }), checkEach),
  },
  { title: 'KeywordBatchInput' },
)

const count = (description: string) => Integer({ minimum: 0, description, examples: [2] })

export const KeywordBatchResult = t.Object(
  {
    created: count('Keywords that were created.'),
    existing: count('Keywords that the project had, or that are in the request a second time.'),
    results: t.Array(
      t.Object({
        status: OneOf(['created', 'exists'], { examples: ['created'] }),
        keyword: Keyword,
      }),
      { description: 'One for each keyword of the request, in its order.' },
    ),
  },
  { title: 'KeywordBatch' },
)
export type KeywordBatchResult = TypeOf<typeof KeywordBatchResult>

export const KeywordImport = RequestBody(
  {
    csv: t.String({
      maxLength: CSV_MAX,
      description: `A CSV file (RFC 4180) with a header and at most ${CSV_LINES_MAX} keywords. Columns: \`keyword\`, and optionally \`country\`, \`device\`, \`tracked\` (\`true\`, \`false\`) and \`tags\`, divided by semicolons. Columns may be divided by semicolons or tabs as well. A line without a country has the \`country\` of the request.`,
      examples: ['keyword,country,tags\r\ncold brew coffee,US,brewing;q3\r\n'],
    }),
    country: t.Optional(Country),
    preview: t.Optional(
      t.Boolean({
        description: 'Checks the file and says what an import would do; nothing is imported.',
        examples: [true],
      }),
    ),
  },
  { title: 'KeywordImportInput' },
)

export const KeywordImportResult = t.Object(
  {
    preview: t.Boolean(),
    keywords: count('Keywords in the file that are valid.'),
    created: count('Of these, keywords that the project does not have.'),
    existing: count('Of these, keywords that it has, or that are in the file a second time.'),
    errors: t.Array(
      t.Object({
        line: Integer({ minimum: 1, description: 'The header is line 1.', examples: [3] }),
        column: t.Union([t.String(), t.Null()], { examples: ['country'] }),
        message: t.String({ examples: ['must be a country code of ISO 3166-1 in capitals'] }),
      }),
      { description: 'At most 100. A file with errors is not imported.', examples: [[]] },
    ),
  },
  { title: 'KeywordImport' },
)
export type KeywordImportResult = TypeOf<typeof KeywordImportResult>

const { keyword_id: _, article_id: __, ...briefOf } = NewGeneration.properties
export const BulkGeneration = RequestBody(
  {
    keyword_ids: t.Array(Id('kw'), {
      minItems: 1,
      maxItems: GENERATIONS_MAX,
      uniqueItems: true,
      description: 'Keywords of the project: an article for each.',
    }),
    ...briefOf,
  },
  { title: 'BulkGenerationInput' },
)
