import type { Actor } from '../../../caller'
import type { AuditEntry } from '../../audit/store'
import { Badge } from '../kit/controls/badge'
import { exactTime, Time } from '../kit/controls/time'
import type { Column } from '../kit/tables/table'
import { Changes } from './changes'
import { ACTIONS } from './words'

/** `onAbout` shows all entries about an id. */
export const columns = (onAbout: (id: string) => void): Column<AuditEntry>[] => [
  {
    head: 'What',
    className: 'align-top',
    cell: entry => <What of={entry} onAbout={onAbout} />,
  },
  {
    head: 'Who',
    className: 'align-top',
    cell: ({ actor }) => (
      <span className="inline-flex flex-wrap items-center gap-x-1.5 break-all">
        {actor.name}
        {BY[actor.type] !== undefined && <Badge>{BY[actor.type]}</Badge>}
      </span>
    ),
  },
  {
    head: 'From',
    className: 'num align-top text-muted',
    cell: ({ address }) => address ?? <span className="text-faint">–</span>,
  },
  {
    head: 'When',
    className: 'align-top',
    cell: ({ at }) => (
      <>
        <Time at={at} />
        <span className="num block text-xs text-muted max-md:ml-1.5 max-md:inline">
          {exactTime(at)}
        </span>
      </>
    ),
  },
]

const BY: { [type in Actor['type']]?: string } = { key: 'API key', cli: 'command line' }

const What = ({ of: entry, onAbout }: { of: AuditEntry; onAbout: (id: string) => void }) => {
  const { action, subject, actor, changes } = entry
  // An invitation without an email address is about the account.
  const isForAnyone = action === 'person.invited' && subject.id.startsWith('acc_')
  return (
    <>
      <span className="inline-flex flex-wrap items-center gap-x-1.5">
        {isForAnyone ? 'Made an invitation to' : (ACTIONS[action] ?? action)}
        {subject.id !== actor.id && (
          <button
            type="button"
            title={`All about ${subject.id}`}
            onClick={() => onAbout(subject.id)}
            className="rounded-sm text-left font-medium break-all hover:underline"
          >
            {subject.name ?? subject.id}
          </button>
        )}
        {subject.revoked && action !== 'api_key.revoked' && <Badge tone="bad">revoked since</Badge>}
      </span>
      <Changes of={changes} />
    </>
  )
}
