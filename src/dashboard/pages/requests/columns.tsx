import { Link } from '@tanstack/react-router'
import type { Mode } from '../../../caller'
import type { FailedRequest } from '../../../requests/schema'
import { Badge } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { Time } from '../kit/controls/time'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import type { Column } from '../kit/tables/table'

export const columns = (mode: Mode): Column<FailedRequest>[] => [
  {
    head: 'Request',
    className: 'max-w-96',
    cell: ({ id, request_id, method, path }) => (
      <>
        <Link
          to="/$mode/requests/$id"
          params={{ mode, id }}
          className={`${ROW_LINK} [overflow-wrap:anywhere]`}
        >
          <TwoLines>{`${method} ${path}`}</TwoLines>
        </Link>
        <span className="block">
          <Code>{request_id}</Code>
        </span>
      </>
    ),
  },
  {
    head: 'Error',
    className: 'max-w-80',
    cell: ({ status, message }) => (
      <>
        <StatusBadge of={status} />
        <span className="mt-0.5 block text-muted [overflow-wrap:anywhere]">
          <TwoLines>{message}</TwoLines>
        </span>
      </>
    ),
  },
  {
    head: 'Made by',
    className: 'max-w-48',
    cell: ({ actor }) => <TwoLines>{actor.name}</TwoLines>,
  },
  { head: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
]

/** A fault of Arden is red, one of the request yellow. */
export const StatusBadge = ({ of: status }: { of: number }) => (
  <Badge tone={status >= 500 ? 'bad' : 'warn'}>{status}</Badge>
)
