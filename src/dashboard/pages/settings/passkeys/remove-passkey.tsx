import type { Passkey } from '../../../../people/passkeys/schema'
import { useChange } from '../../api/queries'
import { toast } from '../../kit/controls/toast'
import { Confirm } from '../../kit/dialogs/confirm'

export const RemovePasskey = ({ of: passkey, onClose }: { of: Passkey; onClose: () => void }) => {
  const remove = useChange('sessions', 'audit')
  return (
    <Confirm
      open
      title={`Remove ${passkey.name}?`}
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/me/passkeys/${passkey.id}` },
          {
            onSuccess: () => {
              toast({ title: `${passkey.name} removed` })
              onClose()
            },
          },
        )
      }
    >
      <p>
        It no longer signs in here. Your device or password manager may still show it: delete it
        there, too.
      </p>
    </Confirm>
  )
}
