import { t } from 'elysia'
import { Id, Integer, Nullable, OneOf, Timestamp, type TypeOf } from '../../http/schema'

/** Runs of the rank tracking for a project, as the API returns them (contract 6.20). */

/** Why a run is FAILED. */
export const RUN_ERRORS = {
  provider_unavailable:
    'The SERP provider did not return the rankings of all keywords. Check them again later; the operator of Arden finds the reason in the logs.',
  provider_rejected:
    'The SERP provider rejects the requests of Arden, because of its key or its credit. Inform the operator of Arden: until that is corrected, every run fails.',
  no_provider: 'No SERP provider is configured. Ask the operator of Arden.',
  stopped: 'The operator of Arden stopped the run.',
} as const
export type RunErrorCode = keyof typeof RUN_ERRORS

const count = (description: string) => Integer({ minimum: 0, description, examples: [40] })

export const RankRun = t.Object(
  {
    id: Id('rrn'),
    project_id: Id('prj'),
    trigger: OneOf(['schedule', 'manual'], { examples: ['manual'] }),
    status: OneOf(['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'], { examples: ['COMPLETED'] }),
    keywords: count('Tracked keywords to check, with those that were added while it ran.'),
    ranked: count('Keywords with a ranking of this run.'),
    failed: count('Keywords without one, when the run has ended.'),
    searches: count('Requests that the SERP provider charged.'),
    cost_usd: Nullable(
      t.Number({
        minimum: 0,
        description: 'Price of these requests in US dollars; null where the operator has set none.',
        examples: [0.04],
      }),
    ),
    error: Nullable(
      t.Object({
        code: OneOf(['provider_unavailable', 'provider_rejected', 'no_provider', 'stopped']),
        message: t.String(),
      }),
      { examples: [null] },
    ),
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'RankRun' },
)
export type RankRun = TypeOf<typeof RankRun>
