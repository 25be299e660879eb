import { t } from 'elysia'
import {
  Id,
  Integer,
  Nullable,
  OneOf,
  RequestBody,
  Timestamp,
  type TypeOf,
} from '../../http/schema'

/** Generations as the API returns and accepts them (contract 6.5). */

export const GenerationStatus = OneOf(['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'], {
  title: 'GenerationStatus',
  description: 'COMPLETED, FAILED and CANCELLED are final.',
  examples: ['COMPLETED'],
})

/** `error.code` of a FAILED generation (contract 6.7). docs/api.md describes how to handle each code. */
export const GenerationErrorCode = OneOf(
  [
    'provider_unavailable',
    'provider_timeout',
    'provider_rate_limited',
    'provider_rejected',
    'provider_incomplete',
    'provider_refused',
    'stopped',
  ],
  { title: 'GenerationErrorCode' },
)
export type GenerationErrorCode = TypeOf<typeof GenerationErrorCode>

const Instructions = Nullable(
  t.String({
    maxLength: 4000,
    description: 'Instructions for the writer of the article, as text.',
    examples: ['For beginners. Mention water temperature.'],
  }),
)

export const Generation = t.Object(
  {
    id: Id('gen'),
    project_id: Id('prj'),
    keyword_id: Nullable(Id('kw')),
    keyword: t.String({
      description: 'The keyword at the time the generation was created.',
      examples: ['cold brew coffee'],
    }),
    instructions: Instructions,
    status: GenerationStatus,
    progress: Integer({
      minimum: 0,
      maximum: 100,
      description: 'An estimate in per cent. It restarts at 0 when the provider is called again.',
      examples: [100],
    }),
    article_id: Nullable(Id('art')),
    offline_draft: t.Boolean({
      description:
        'No language model is configured: the article is an outline of the built-in offline provider, and does not count towards the quota.',
      examples: [false],
    }),
    error: Nullable(
      t.Object({
        code: GenerationErrorCode,
        message: t.String({
          examples: ['The provider responded with 503. Generate it again later.'],
        }),
      }),
      { description: 'Why it is FAILED.', examples: [null] },
    ),
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Generation' },
)
export type Generation = TypeOf<typeof Generation>

export const NewGeneration = RequestBody(
  {
    keyword_id: Id(
      'kw',
      'The id of the keyword to write about. The article goes into its project.',
    ),
    instructions: t.Optional(Instructions),
  },
  { title: 'GenerationInput' },
)
