import { RefreshCw } from 'lucide-react'
import type { CheckResult } from '../../../doctor/check'
import type { SystemState } from '../../system/routes'
import { useDashboard } from '../api/queries'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { Skeleton } from '../kit/layout/empty'
import { Card } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMe } from '../session/me'
import { CheckIcon } from './check-icon'
import { KeyAge } from './key-age'

/** The checks of `arden doctor`. */
export const System = () => {
  const version = useMe()?.version
  const system = useDashboard<SystemState>('system', '/system')
  return (
    <Card
      title="System"
      actions={
        <span className="flex items-center gap-3 text-xs text-muted">
          {system.data !== undefined && (
            <span>
              Checked <Time at={system.data.checked_at} />
            </span>
          )}
          <Button busy={system.isFetching} onClick={() => system.refetch()}>
            {!system.isFetching && <RefreshCw aria-hidden className="size-3.5" />}
            Check again
          </Button>
        </span>
      }
    >
      <Problem error={system.error} className="m-4" />
      {system.data === undefined ? (
        system.error === null && <Skeleton />
      ) : (
        <>
          <ul className="divide-y divide-line" aria-label="Checks">
            {system.data.checks.map(check => (
              <Line key={`${check.name} ${check.found}`} of={check} />
            ))}
          </ul>
          <div className="space-y-1 border-t border-line px-4 py-3 text-sm">
            {system.data.encryption_key !== null && <KeyAge of={system.data.encryption_key} />}
            <p className="text-xs text-muted">
              Arden {version}. To check Temporal, run{' '}
              <code className="font-mono">arden doctor</code>, because the API server does not
              connect to it.
            </p>
          </div>
        </>
      )}
    </Card>
  )
}

const Line = ({ of: { name, status, found, todo } }: { of: CheckResult }) => (
  <li className="flex items-start gap-3 px-4 py-2.5 text-sm">
    <CheckIcon of={status} />
    <span className="w-32 shrink-0 font-medium first-letter:uppercase max-sm:w-24">{name}</span>
    <span className="min-w-0 [overflow-wrap:anywhere]">
      {found}
      {todo !== undefined && <span className="block text-muted">{todo}</span>}
    </span>
  </li>
)
