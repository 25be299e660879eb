import { RefreshCw } from 'lucide-react'
import type { Project } from '../../../content/projects/schema'
import type { RankRun } from '../../../content/rankings/run-schema'
import { useChange, useList } from '../api/queries'
import { keywordsOf } from '../keywords/count'
import { Status } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { Time, useTicks } from '../kit/controls/time'
import { toast, toastError } from '../kit/controls/toast'
import { Empty } from '../kit/layout/empty'
import { Card, Facts } from '../kit/layout/page'
import { sentence } from '../kit/sentence'
import { ListTable } from '../kit/tables/list-table'
import { useHasProvider, useMayChange } from '../session/me'
import { MATCHES, SCHEDULES } from './labels'

/** When the keywords of a live project are checked, its runs with what they cost, and a button for a run now. */
export const RankRuns = ({ of: project }: { of: Project }) => {
  const mayChange = useMayChange()
  const missing = useMissing(project)
  const runs = useList<RankRun>('rankings', `/projects/${project.id}/rank-runs`, { limit: 10 })
  return (
    <Card title="Rank tracking" actions={mayChange && <RunNow of={project} missing={missing} />}>
      <div className="border-b border-line p-4">
        <Facts
          of={[
            ['Results that count', MATCHES[project.domain_match]],
            ['Schedule', `${SCHEDULES[project.rank_schedule]}, ${project.time_zone}`],
            [
              'Next run',
              missing !== undefined ? (
                <span key="next" className="text-warn">
                  none: {missing}
                </span>
              ) : project.next_rank_run_at === null ? (
                <span key="next" className="text-faint">
                  none
                </span>
              ) : (
                <NextRun key="next" at={project.next_rank_run_at} />
              ),
            ],
          ]}
        />
      </div>
      <ListTable
        label="Runs of the rank tracking"
        of={runs}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Requested', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: 'Started by',
            cell: ({ trigger }) => (trigger === 'manual' ? 'a user or API key' : 'the schedule'),
          },
          {
            head: 'Status',
            cell: ({ status, error }) => (
              <>
                <Status of={status} />
                {error !== null && (
                  <span className="mt-0.5 block max-w-sm text-xs break-words text-bad">
                    {error.message}
                  </span>
                )}
              </>
            ),
          },
          {
            head: 'Checked',
            right: true,
            cell: ({ ranked, keywords }) => (
              <span className="num">{`${ranked} of ${keywords}`}</span>
            ),
          },
          {
            head: 'Searches',
            right: true,
            cell: ({ searches }) => <span className="num">{searches}</span>,
          },
          {
            head: 'Cost',
            right: true,
            cell: ({ cost_usd }) => <span className="num">{toPrice(cost_usd)}</span>,
          },
        ]}
        empty={
          <Empty icon={RefreshCw} title="No runs yet">
            {missing === undefined
              ? `Tracked keywords are checked on the schedule, or when ${mayChange ? 'you choose' : 'a member or owner chooses'} Check now.`
              : `Keywords are not checked, because ${missing}.`}
          </Empty>
        }
      />
    </Card>
  )
}

/** A run begins with the next tick of the schedule after its time. */
const NextRun = ({ at }: { at: string }) => {
  useTicks()
  return Date.parse(at) <= Date.now() ? 'is due' : <Time at={at} />
}

const USD = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
})

const toPrice = (usd: number | null) => (usd === null ? 'unknown' : USD.format(usd))

/** What must be there before keywords are checked; undefined where nothing is missing. */
const useMissing = ({ domain }: Project): string | undefined => {
  if (!useHasProvider('serp')) return 'no SERP provider is configured'
  return domain === null ? 'the project has no domain' : undefined
}

const RunNow = ({ of: project, missing }: { of: Project; missing: string | undefined }) => {
  const run = useChange<RankRun>('rankings')
  const send = () =>
    run.mutate(
      { method: 'POST', path: `/v1/projects/${project.id}/rank-runs` },
      {
        onSuccess: ({ keywords }) => toast({ title: `Checking ${keywordsOf(keywords)}` }),
        onError: error => toastError('The run was not started', error),
      },
    )
  return (
    <Button
      busy={run.isPending}
      disabled={missing !== undefined}
      title={missing && sentence(missing)}
      onClick={send}
    >
      <RefreshCw aria-hidden className="size-4" />
      Check now
    </Button>
  )
}
