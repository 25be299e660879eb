import type { Actor } from '../../../caller'
import type { AuditEntry } from '../../audit/store'
import { Badge } from '../kit/controls/badge'
import { exactTime, Time } from '../kit/controls/time'
import type { Column } from '../kit/tables/table'
import { Changes } from './changes'
import { ACTION_LABELS } from './labels'

/** `onSubject` shows all entries about an id. */
export const columns = (onSubject: (id: string) => void): Column<AuditEntry>[] => [
  {
    head: 'Action',
    className: 'align-top',
    cell: entry => <ActionCell of={entry} onSubject={onSubject} />,
  },
  {
    head: 'Actor',
    className: 'align-top',
    cell: ({ actor }) => (
      <span className="inline-flex flex-wrap items-center gap-x-1.5 break-all">
        {actor.name}
        {BY[actor.type] !== undefined && <Badge>{BY[actor.type]}</Badge>}
      </span>
    ),
  },
  {
    head: 'IP address',
    className: 'num align-top text-muted',
    cell: ({ address }) => address ?? <span className="text-faint">–</span>,
  },
  {
    head: 'Time',
    className: 'align-top whitespace-nowrap',
    cell: ({ at }) => (
      <>
        <Time at={at} />
        <span className="num block text-xs text-muted cards:ml-1.5 cards:inline">
          {exactTime(at)}
        </span>
      </>
    ),
  },
]

/** The actor of these is the subject. */
const BY_SUBJECT: ReadonlySet<AuditEntry['action']> = new Set([
  'person.joined',
  'person.signed_in',
  'person.signed_out',
  'person.signed_out_everywhere',
  'person.session_ended',
] as const)

const BY: { [type in Actor['type']]?: string } = { key: 'API key', cli: 'command line' }

const ActionCell = ({
  of: entry,
  onSubject,
}: {
  of: AuditEntry
  onSubject: (id: string) => void
}) => {
  const { action, subject, changes } = entry
  // About the account, because it creates the user when it is used. A user who exists gets a link for a new password.
  const isInvitation = action === 'person.invited' && subject.id.startsWith('acc_')
  const hasSubject = !BY_SUBJECT.has(action)
  return (
    <>
      <span className="inline-flex flex-wrap items-center gap-x-1.5">
        {isInvitation ? 'Created an invitation to the account' : (ACTION_LABELS[action] ?? action)}
        {hasSubject && (
          <button
            type="button"
            title={`Show only entries about ${subject.id}`}
            onClick={() => onSubject(subject.id)}
            className="rounded-sm text-left font-medium break-all hover:underline"
          >
            {subject.name ?? subject.id}
          </button>
        )}
        {subject.revoked && action !== 'api_key.revoked' && <Badge tone="bad">since revoked</Badge>}
      </span>
      <Changes of={changes} />
    </>
  )
}
