import { Link } from '@tanstack/react-router'
import type { ContentFigures } from '../../overview/content'
import { useDashboard } from '../api/queries'
import { Skeleton } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'

const NUMBER = new Intl.NumberFormat('en')
/** Refresh interval while the page is visible, in ms. */
const EVERY_MS = 30_000

/** How much content there is, with links to it. */
export const Content = () => {
  const { data, error, refetch } = useDashboard<ContentFigures>('overview', '/overview/content', {
    everyMs: EVERY_MS,
  })
  return (
    <Card title="Content">
      <Problem error={error} onRetry={refetch} className="m-4" />
      {data === undefined ? error === null && <Skeleton rows={2} /> : <Figures of={data} />}
    </Card>
  )
}

const Figures = ({ of: { projects, keywords, articles, generations } }: { of: ContentFigures }) => {
  const total = Object.values(generations).reduce((sum, count) => sum + count, 0)
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-b-xl bg-line lg:grid-cols-4">
      <Figure
        name="Articles"
        page="articles"
        value={articles.DRAFT + articles.PUBLISHED}
        parts={[
          [articles.PUBLISHED, 'published', 'PUBLISHED'],
          [articles.DRAFT, articles.DRAFT === 1 ? 'draft' : 'drafts', 'DRAFT'],
        ]}
      />
      <Figure
        name="Generations"
        page="generations"
        value={total}
        parts={[
          [generations.COMPLETED, 'completed', 'COMPLETED'],
          [generations.AWAITING_APPROVAL, 'to approve', 'AWAITING_APPROVAL'],
          [generations.RUNNING, 'running', 'RUNNING'],
          [generations.QUEUED, 'queued', 'QUEUED'],
          [generations.FAILED, 'failed', 'FAILED'],
          [generations.CANCELLED, 'cancelled', 'CANCELLED'],
        ]}
      />
      <Figure
        name="Keywords"
        page="projects"
        value={keywords.all}
        parts={[[keywords.tracked, 'with tracking on']]}
      />
      <Figure name="Projects" page="projects" value={projects} parts={[]} />
    </dl>
  )
}

type Props = {
  name: string
  page: 'articles' | 'generations' | 'projects'
  value: number
  /** Counts of a part, each with the status that its list is filtered by. */
  parts: readonly (readonly [count: number, text: string, status?: string])[]
}

const Figure = ({ name, page, value, parts }: Props) => {
  const mode = useMode()
  const to = `/$mode/${page}` as const
  return (
    <div className="bg-surface px-4 py-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="num text-xl font-semibold tracking-tight">
        <Link to={to} params={{ mode }} className="rounded-sm hover:text-accent hover:underline">
          {NUMBER.format(value)}
        </Link>
      </dd>
      <dd className="num flex min-h-4 flex-wrap gap-x-2 text-xs text-muted">
        {parts.map(([count, text, status]) =>
          count === 0 ? null : status === undefined ? (
            <span key={text}>
              {NUMBER.format(count)} {text}
            </span>
          ) : (
            <Link
              key={text}
              to={to}
              params={{ mode }}
              search={{ status } as object}
              className={INLINE_LINK}
            >
              {NUMBER.format(count)} {text}
            </Link>
          ),
        )}
      </dd>
    </div>
  )
}
