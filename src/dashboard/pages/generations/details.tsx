import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { GenerationDetail } from '../../../content/generations/schema'
import { cx } from '../kit/classes'
import { Code } from '../kit/controls/copy'
import { exactTime, Time } from '../kit/controls/time'
import { Card, Facts } from '../kit/layout/page'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { ProjectLink } from '../project-picker/link'
import { briefFacts } from './brief'
import { Progress, took } from './progress'
import { CHECK_LABELS } from './required-checks'

/** The steps of a generation, and its request. */
export const Details = ({ of: generation }: { of: GenerationDetail }) => {
  const mode = useMode()
  const { status, keyword_id, project_id, instructions, offline_draft, required_checks, error } =
    generation
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Progress" actions={<Progress of={generation} />}>
        <div aria-live="polite" className="sr-only">
          {generation.status.toLowerCase()}
        </div>
        <ol className="space-y-4 p-4">
          {stepsOf(generation).map(({ name, at, tone, text }) => (
            <li key={name} className="flex gap-3">
              <span aria-hidden className={cx('mt-1.5 size-2 shrink-0 rounded-full', DOTS[tone])} />
              <div className="min-w-0 text-sm">
                <p className={cx('font-medium', tone === 'later' && 'text-muted')}>{name}</p>
                {at !== null && <p className="text-xs text-muted">{exactTime(at)}</p>}
                {text !== undefined && <p className="mt-0.5 break-words text-muted">{text}</p>}
              </div>
            </li>
          ))}
        </ol>
        {offline_draft && status !== 'FAILED' && status !== 'CANCELLED' && (
          <p className="mx-4 mb-4 rounded-lg bg-warn-soft p-3 text-sm text-warn">
            {mode === 'test'
              ? 'Test mode uses no language model'
              : 'No language model was configured'}
            , so this article is an outline from Arden’s offline provider. It does not count towards
            your plan.
          </p>
        )}
        {error !== null && (
          <div className="mx-4 mb-4 rounded-lg border border-bad/25 bg-bad-soft p-3 text-sm">
            <p className="font-medium text-bad">Error</p>
            <p className="mt-0.5 break-words text-bad">{error.message}</p>
            <p className="mt-1 text-xs text-muted">
              <code className="font-mono">{error.code}</code>
            </p>
          </div>
        )}
      </Card>
      <Card title="Request">
        <div className="space-y-4 p-4">
          <Facts
            of={[
              [
                'Keyword',
                keyword_id === null ? (
                  `${generation.keyword} (deleted)`
                ) : (
                  <Link
                    key="keyword"
                    to="/$mode/keywords/$id"
                    params={{ mode, id: keyword_id }}
                    className={INLINE_LINK}
                  >
                    {generation.keyword}
                  </Link>
                ),
              ],
              ['Project', <ProjectLink key="project" id={project_id} />],
              ...briefFacts(generation),
              ...(required_checks.length === 0
                ? []
                : [
                    [
                      'Required checks',
                      required_checks.map(one => CHECK_LABELS[one]).join(', '),
                    ] as const,
                  ]),
              ['Created', <Time key="created" at={generation.created_at} />],
              [
                'ID',
                <Code key="id" wrap>
                  {generation.id}
                </Code>,
              ],
            ]}
          />
          <div>
            <p className="mb-1 text-sm text-muted">Instructions</p>
            <p dir="auto" className="text-sm break-words whitespace-pre-wrap">
              {instructions ?? <span className="text-faint">none</span>}
            </p>
          </div>
        </div>
      </Card>
    </div>
  )
}

const DOTS = {
  done: 'bg-good',
  now: 'bg-accent animate-pulse',
  later: 'bg-line-strong',
  bad: 'bg-bad',
  quiet: 'bg-faint',
} as const

type Step = { name: string; at: string | null; tone: keyof typeof DOTS; text?: ReactNode }

const stepsOf = (generation: GenerationDetail): Step[] => {
  const { status, article_id, created_at, started_at, finished_at } = generation
  const queued: Step =
    status === 'QUEUED'
      ? {
          name: 'Queued',
          at: created_at,
          tone: 'now',
          text: 'Waiting for its turn. It needs a worker and Temporal.',
        }
      : { name: 'Queued', at: created_at, tone: 'done' }
  const written: Step[] =
    started_at === null
      ? status === 'QUEUED'
        ? [{ name: 'Writing', at: null, tone: 'later' }]
        : []
      : [
          status === 'AWAITING_APPROVAL'
            ? { name: 'Outline', at: started_at, tone: 'now', text: 'Waiting for an approval.' }
            : status === 'RUNNING'
              ? {
                  name: 'Writing',
                  at: started_at,
                  tone: 'now',
                  text: 'The percentage is an estimate.',
                }
              : { name: 'Started', at: started_at, tone: 'done' },
        ]
  const duration = took(generation)
  // One that is written anew stays published if it was.
  const planned = {
    name: article_id === null ? 'Draft article' : 'Article',
    at: null,
    tone: 'later' as const,
  }
  const end: Step = {
    COMPLETED: { name: 'Completed', at: finished_at, tone: 'done' as const },
    FAILED: { name: 'Failed', at: finished_at, tone: 'bad' as const },
    CANCELLED: { name: 'Cancelled', at: finished_at, tone: 'quiet' as const },
    QUEUED: planned,
    RUNNING: planned,
    AWAITING_APPROVAL: planned,
  }[status]
  return [
    queued,
    ...written,
    duration === null
      ? end
      : {
          ...end,
          text: `Took ${duration}${hasWaited(generation) ? ', the review of the outline included' : ''}.`,
        },
  ]
}

/** Whether its last run waited for an approval of the outline, which a retry has from the run before. */
const hasWaited = ({ review_outline, steps, ...generation }: GenerationDetail): boolean =>
  review_outline &&
  steps.some(
    ({ step, status, finished_at }) =>
      step === 'outline' &&
      status === 'COMPLETED' &&
      (finished_at ?? '') >= (generation.started_at ?? '') &&
      // Later, where it was cancelled before.
      (finished_at ?? '') <= (generation.finished_at ?? ''),
  )
