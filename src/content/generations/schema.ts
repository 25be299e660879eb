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
import { BriefFields, Instructions, Outline, RequiredChecks } from './brief'

/** Generations as the API returns and accepts them (contract 6.5). */

export const GenerationStatus = OneOf(
  ['QUEUED', 'RUNNING', 'AWAITING_APPROVAL', 'COMPLETED', 'FAILED', 'CANCELLED'],
  {
    title: 'GenerationStatus',
    description:
      'COMPLETED, FAILED and CANCELLED are final. Only a generation with `review_outline` is ever AWAITING_APPROVAL.',
    examples: ['COMPLETED'],
  },
)
export type GenerationStatus = TypeOf<typeof GenerationStatus>

/** `error.code` of a FAILED generation (contract 6.7). docs/api.md describes how to handle each code. */
export const GenerationErrorCode = OneOf(
  [
    'provider_unavailable',
    'provider_timeout',
    'provider_rate_limited',
    'provider_rejected',
    'provider_incomplete',
    'provider_refused',
    'article_changed',
    'check_failed',
    'stopped',
  ],
  { title: 'GenerationErrorCode' },
)
export type GenerationErrorCode = TypeOf<typeof GenerationErrorCode>

export const StepKind = OneOf(['outline', 'section', 'assembly', 'metadata', 'checks'], {
  title: 'GenerationStepKind',
  description:
    'The outline, the introduction and the sections, their assembly, title with slug and description, and the checks.',
})
export type StepKind = TypeOf<typeof StepKind>

/** Null where it is not known. */
const Counted = {
  input_tokens: Nullable(Integer(), { examples: [420] }),
  output_tokens: Nullable(Integer(), { examples: [310] }),
  cost_usd: Nullable(t.Number(), {
    description: 'US dollars, by the price that the operator has set for the model.',
    examples: [0.0036],
  }),
}

const Step = t.Object(
  {
    step: StepKind,
    heading: Nullable(t.String(), {
      description: 'Of a section. Null for the introduction.',
      examples: ['What you need'],
    }),
    status: OneOf(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'], { title: 'GenerationStepStatus' }),
    retried_after: Nullable(GenerationErrorCode, {
      description:
        'Why it is requested from the provider again, or waits for that. Null before a failure, and once it is finished.',
      examples: [null],
    }),
    text: Nullable(t.String(), {
      description: 'What has been written so far. Null once the article has it.',
      examples: [null],
    }),
    model: Nullable(t.String(), {
      description: 'The model that wrote it. Null without one.',
      examples: ['gpt-4o-mini'],
    }),
    prompt_version: Nullable(t.String(), {
      description: 'The prompt, and its version. Null where nothing was to be written.',
      examples: ['section@1'],
    }),
    ...Counted,
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
  },
  { title: 'GenerationStep' },
)
export type Step = TypeOf<typeof Step>

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
    ...BriefFields,
    outline: Nullable(Outline, {
      description: 'Null until it is written, where the brief has none.',
    }),
    required_checks: RequiredChecks,
    review_outline: t.Boolean({
      description: 'The outline waits for an approval.',
      examples: [false],
    }),
    status: GenerationStatus,
    progress: Integer({
      minimum: 0,
      maximum: 100,
      description: 'An estimate in per cent.',
      examples: [100],
    }),
    article_id: Nullable(Id('art'), {
      description: 'The article that it has created, or the one that it writes anew.',
    }),
    offline_draft: t.Boolean({
      description:
        'Written without a language model, because none was configured, or in test mode: the article is an outline of the built-in offline provider, and does not count towards the quota.',
      examples: [false],
    }),
    error: Nullable(
      t.Object({
        code: GenerationErrorCode,
        message: t.String({
          examples: ['The provider responded with 503. Retry it later.'],
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

/** One generation with its steps, which lists leave out. */
export const GenerationDetail = t.Object(
  {
    ...Generation.properties,
    ...Counted,
    steps: t.Array(Step, { description: 'In the order of the article; empty while it is QUEUED.' }),
  },
  { title: 'GenerationDetail' },
)
export type GenerationDetail = TypeOf<typeof GenerationDetail>

export const NewGeneration = RequestBody(
  {
    keyword_id: Id(
      'kw',
      'The id of the keyword to write about. The article goes into its project.',
    ),
    article_id: t.Optional(
      Id('art', 'An article of the same project, to be written anew as a new version of it.'),
    ),
    instructions: t.Optional(Instructions),
    audience: t.Optional(BriefFields.audience),
    tone: t.Optional(BriefFields.tone),
    length: t.Optional(BriefFields.length),
    model: t.Optional(BriefFields.model),
    outline: t.Optional(Nullable(Outline)),
    required_checks: t.Optional(RequiredChecks),
    review_outline: t.Optional(
      t.Boolean({
        description:
          'The generation waits with its outline until it is approved; for days, if need be.',
        examples: [false],
      }),
    ),
  },
  { title: 'GenerationInput' },
)

export const Approval = RequestBody(
  { outline: t.Optional(Outline) },
  { title: 'OutlineApproval', description: 'Without `outline`, it is approved as it is.' },
)
