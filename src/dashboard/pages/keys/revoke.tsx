import type { ApiKey } from '../../../keys/schema'
import { useChange } from '../api/queries'
import { Time } from '../kit/controls/time'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

export const RevokeKey = ({ of: key, onClose }: { of: ApiKey; onClose: () => void }) => {
  const revoke = useChange<ApiKey>('api-keys')
  return (
    <Confirm
      open
      title={`Revoke ${key.name}?`}
      action="Revoke permanently"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() =>
        revoke.mutate(
          { method: 'DELETE', path: `/v1/api-keys/${key.id}` },
          {
            onSuccess: () => {
              toast({
                title: `${key.name} revoked`,
                text: 'Requests with this key are now rejected.',
              })
              onClose()
            },
          },
        )
      }
    >
      <p>
        Requests with this key are rejected immediately. This cannot be undone. The key stays in the
        audit history.
      </p>
      <p>
        Last used: <Time at={key.last_used_at} />.
      </p>
    </Confirm>
  )
}
