import { MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Passkey } from '../../../../people/passkeys/schema'
import { useDashboard } from '../../api/queries'
import { Button, IconButton } from '../../kit/controls/button'
import { Menu, MenuItem } from '../../kit/controls/menu'
import { Time } from '../../kit/controls/time'
import { Card } from '../../kit/layout/page'
import { type Column, Table } from '../../kit/tables/table'
import { canUsePasskeys } from '../../session/webauthn'
import { AddPasskey } from './add-passkey'
import { RemovePasskey } from './remove-passkey'
import { RenamePasskey } from './rename-passkey'

type DialogState = { what: 'add' } | { what: 'rename' | 'remove'; passkey: Passkey }

/** The user's own passkeys. */
export const Passkeys = () => {
  const passkeys = useDashboard<Passkey[]>('sessions', '/me/passkeys')
  const [dialog, setDialog] = useState<DialogState>()
  const close = () => setDialog(undefined)
  return (
    <Card
      title="Your passkeys"
      actions={
        canUsePasskeys() && (
          <Button onClick={() => setDialog({ what: 'add' })}>Add a passkey</Button>
        )
      }
    >
      <Table
        label="Your passkeys"
        columns={columns(setDialog)}
        rows={passkeys.data}
        keyOf={passkey => passkey.id}
        error={passkeys.error}
        onRetry={passkeys.refetch}
        empty={
          <p className="px-4 py-3 text-sm text-muted">
            No passkeys. With a passkey you sign in with your fingerprint, face or screen lock
            instead of your password.
          </p>
        }
      />
      {dialog?.what === 'add' && <AddPasskey onClose={close} />}
      {dialog?.what === 'rename' && <RenamePasskey of={dialog.passkey} onClose={close} />}
      {dialog?.what === 'remove' && (
        <RemovePasskey of={dialog.passkey} isOnly={passkeys.data?.length === 1} onClose={close} />
      )}
    </Card>
  )
}

const columns = (openDialog: (dialog: DialogState) => void): Column<Passkey>[] => [
  { head: 'Name', cell: ({ name }) => <span className="font-medium break-all">{name}</span> },
  { head: 'Last used', cell: passkey => <Time at={passkey.last_used_at} empty="never" /> },
  { head: 'Added', cell: passkey => <Time at={passkey.created_at} /> },
  {
    head: 'Actions',
    quiet: true,
    right: true,
    cell: passkey => (
      <Menu
        label={`Actions for ${passkey.name}`}
        trigger={
          <IconButton label={`Actions for ${passkey.name}`}>
            <MoreHorizontal />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil />} onClick={() => openDialog({ what: 'rename', passkey })}>
          Rename
        </MenuItem>
        <MenuItem icon={<Trash2 />} danger onClick={() => openDialog({ what: 'remove', passkey })}>
          Remove
        </MenuItem>
      </Menu>
    ),
  },
]
