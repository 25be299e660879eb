import { Link } from '@tanstack/react-router'
import type { Mode } from '../../../caller'
import type { DeliveryListItem } from '../../deliveries/routes'
import { Badge, Status } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { Time } from '../kit/controls/time'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { capitalize } from '../kit/sentence'
import { SelectRow } from '../kit/tables/select-row'
import type { Column } from '../kit/tables/table'
import type { Selection } from '../kit/tables/use-selection'
import { nameOf } from '../webhook-name/name'

/** `selecting` is undefined for users who cannot make changes. */
export const columns = (
  mode: Mode,
  selecting?: Selection<DeliveryListItem>,
): Column<DeliveryListItem>[] => [
  {
    head: 'Event',
    cell: row => (
      <span className="flex items-start gap-3">
        {selecting && <SelectRow id={row.id} name={`${row.event} ${row.id}`} of={selecting} />}
        <span className="min-w-0">
          <Link to="/$mode/deliveries/$id" params={{ mode, id: row.id }} className={ROW_LINK}>
            {row.event}
          </Link>
          {row.test && (
            <span className="ml-1.5">
              <Badge>test</Badge>
            </span>
          )}
          <span className="block">
            <Code>{row.id}</Code>
          </span>
        </span>
      </span>
    ),
  },
  { head: 'Status', cell: row => <Status of={row.status} /> },
  {
    head: 'Endpoint',
    cell: ({ receiver, webhook_id }) =>
      receiver === null ? (
        <code className="font-mono text-xs">{webhook_id}</code>
      ) : (
        <span>
          <TwoLines title={receiver.url}>{nameOf(receiver)}</TwoLines>
          {receiver.deleted && <span className="text-faint"> (deleted)</span>}
        </span>
      ),
  },
  {
    head: 'Response',
    className: 'max-w-72',
    cell: row => (
      <span
        className="break-words line-clamp-2 cards:line-clamp-none cards:inline"
        title={row.error === null ? undefined : capitalize(row.error)}
      >
        {row.error !== null ? (
          <span className="text-bad">{capitalize(row.error)}</span>
        ) : row.http_status !== null ? (
          <span className="num">{row.http_status}</span>
        ) : row.waits_for !== null ? (
          <span className="text-muted" title={`Waiting for ${row.waits_for}.`}>
            waiting for an earlier delivery
          </span>
        ) : (
          <span className="text-faint">none yet</span>
        )}
      </span>
    ),
  },
  { head: 'Attempts', right: true, cell: row => row.attempt_count },
  { head: 'Created', cell: row => <Time at={row.created_at} /> },
]
