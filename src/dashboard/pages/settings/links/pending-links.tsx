import { useState } from 'react'
import type { PendingLink } from '../../../../people/schema'
import { useDashboard } from '../../api/queries'
import { Button } from '../../kit/controls/button'
import { Time } from '../../kit/controls/time'
import { Card } from '../../kit/layout/page'
import { type Column, Table } from '../../kit/tables/table'
import { roleName } from '../roles'
import { RevokeLink } from './revoke-link'

/** Sign-in links that were neither used nor have expired. Only owners can read and revoke them. */
export const PendingLinks = () => {
  const links = useDashboard<PendingLink[]>('people', '/people/links')
  const [revoking, setRevoking] = useState<PendingLink>()
  return (
    <Card title="Pending links">
      <Table
        label="Pending links"
        columns={columns(setRevoking)}
        rows={links.data}
        keyOf={link => link.id}
        error={links.error}
        onRetry={links.refetch}
        empty={<p className="px-4 py-3 text-sm text-muted">No pending links.</p>}
      />
      {revoking !== undefined && (
        <RevokeLink of={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </Card>
  )
}

const columns = (onRevoke: (link: PendingLink) => void): Column<PendingLink>[] => [
  {
    head: 'For',
    cell: ({ email, email_error }) => (
      <>
        <span className="font-medium break-all">{email ?? 'Anyone who has the link'}</span>
        {email_error !== null && (
          <span className="block text-xs wrap-anywhere text-bad">
            Email not sent. {email_error}
          </span>
        )}
      </>
    ),
  },
  { head: 'Role', cell: ({ role }) => roleName(role) },
  { head: 'Created by', cell: link => <span className="break-all">{link.created_by}</span> },
  { head: 'Created', cell: link => <Time at={link.created_at} /> },
  { head: 'Expires', cell: link => <Time at={link.expires_at} /> },
  {
    head: 'Actions',
    quiet: true,
    right: true,
    cell: link => (
      <Button variant="quiet" className="-my-1.5" onClick={() => onRevoke(link)}>
        Revoke
      </Button>
    ),
  },
]
