import type {
  GenerationDetail,
  GenerationErrorCode,
  Step,
} from '../../../content/generations/schema'
import { cx } from '../kit/classes'
import { Card } from '../kit/layout/page'

/** The steps of a generation: what each does, its state, and what it took. */
export const Steps = ({ of: generation }: { of: GenerationDetail }) => (
  <Card title="Steps" actions={<Total of={generation} />}>
    <ol className="divide-y divide-line">
      {generation.steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no ids, and keep their order
        <li key={index} className="flex items-start gap-3 px-4 py-2.5 text-sm">
          <span
            aria-hidden
            className={cx('mt-1.5 size-2 shrink-0 rounded-full', DOTS[step.status])}
          />
          <div className="min-w-0 flex-1">
            <p className={cx('break-words', step.status === 'PENDING' && 'text-muted')}>
              {nameOf(step)}
              <span className="sr-only">, {step.status.toLowerCase()}</span>
            </p>
            {step.retried_after !== null && (
              <p className="text-xs break-words text-warn">
                {RETRIES[step.retried_after] ?? OTHER_RETRY}
              </p>
            )}
            {step.model !== null && (
              <p className="text-xs break-words text-muted">
                {[step.model, step.prompt_version, ...countsOf(step)].join(' · ')}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  </Card>
)

const DOTS: { [status in Step['status']]: string } = {
  PENDING: 'bg-line-strong',
  RUNNING: 'bg-accent animate-pulse',
  COMPLETED: 'bg-good',
  FAILED: 'bg-bad',
}

const nameOf = ({ step, heading }: Step): string =>
  ({
    outline: 'Outline',
    section: heading ?? 'Introduction',
    assembly: 'Assembly',
    metadata: 'Title, slug and description',
    checks: 'Checks',
  })[step]

/** Why a step takes longer. */
const RETRIES: { [code in GenerationErrorCode]?: string } = {
  provider_rate_limited: 'The provider limits the rate of requests. Trying again.',
  provider_timeout: 'The provider did not respond in time. Trying again.',
}
const OTHER_RETRY = 'The provider failed. Trying again.'

const Total = ({ of: generation }: { of: GenerationDetail }) => (
  <span className="num text-xs text-muted">{countsOf(generation).join(' · ')}</span>
)

type Counted = Pick<Step, 'input_tokens' | 'output_tokens' | 'cost_usd'>

const countsOf = ({ input_tokens, output_tokens, cost_usd }: Counted): string[] => [
  ...(input_tokens === null && output_tokens === null
    ? []
    : [`${((input_tokens ?? 0) + (output_tokens ?? 0)).toLocaleString('en')} tokens`]),
  ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(4)}`]),
]
