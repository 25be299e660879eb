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
      action="Revoke for good"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() =>
        revoke.mutate(
          { method: 'DELETE', path: `/v1/api-keys/${key.id}` },
          {
            onSuccess: () => {
              toast({ title: `${key.name} is revoked`, text: 'Requests with it are refused.' })
              onClose()
            },
          },
        )
      }
    >
      <p>
        Programs that use it are refused from the very next request on. This cannot be undone: the
        key can never be used again. It stays in the audit history.
      </p>
      <p>
        Last used: <Time at={key.last_used_at} />.
      </p>
    </Confirm>
  )
}
