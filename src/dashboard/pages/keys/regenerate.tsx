import type { ApiKey, ApiKeyWithValue } from '../../../keys/schema'
import { useChange } from '../api/queries'
import { Time } from '../kit/controls/time'
import { Confirm } from '../kit/dialogs/confirm'

type Props = { of: ApiKey; onClose: () => void; onCreated: (key: ApiKeyWithValue) => void }

export const RegenerateKey = ({ of: key, onClose, onCreated }: Props) => {
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
          { onSuccess: onCreated },
        )
      }
    >
      <p>
        The key gets a new value, and the current one stops working immediately. Applications that
        still use it receive a 401 error.
      </p>
      <p>
        Last used: <Time at={key.last_used_at} />. Its ID, scopes and limit do not change.
      </p>
    </Confirm>
  )
}
