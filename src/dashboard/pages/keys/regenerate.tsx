import type { ApiKey, ApiKeyWithValue } from '../../../keys/schema'
import { useChange } from '../api/queries'
import { Time } from '../kit/controls/time'
import { Confirm } from '../kit/dialogs/confirm'

type Props = { of: ApiKey; onClose: () => void; onMade: (key: ApiKeyWithValue) => void }

export const RegenerateKey = ({ of: key, onClose, onMade }: Props) => {
  const regenerate = useChange<ApiKeyWithValue>('api-keys')
  return (
    <Confirm
      open
      title={`Regenerate ${key.name}?`}
      action="Regenerate"
      busy={regenerate.isPending}
      error={regenerate.error}
      onClose={onClose}
      onConfirm={() =>
        regenerate.mutate(
          { method: 'POST', path: `/v1/api-keys/${key.id}/regenerate` },
          { onSuccess: onMade },
        )
      }
    >
      <p>
        The key gets a new value, and the old one stops working at once, without a grace period.
        Programs that use it are answered 401 until they have the new one.
      </p>
      <p>
        Last used: <Time at={key.last_used_at} />. Its id, scopes and limit stay.
      </p>
    </Confirm>
  )
}
