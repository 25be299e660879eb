import type { Passkey } from '../../../../people/passkeys/schema'
import { useChange } from '../../api/queries'
import { toast } from '../../kit/controls/toast'
import { Confirm } from '../../kit/dialogs/confirm'
import { useMe } from '../../session/me'

type Props = { of: Passkey; isOnly: boolean; onClose: () => void }

export const RemovePasskey = ({ of: passkey, isOnly, onClose }: Props) => {
  const me = useMe()
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
      {isOnly && me?.person.has_password === false && (
        <p>
          It is your only passkey, and you have no password: without single sign-on you cannot sign
          in again, unless an owner sends you a link. Choose a password first.
        </p>
      )}
      {isOnly && me?.person.has_password === true && me.account.required_sign_in === 'passkey' && (
        <p>
          It is your only passkey. Your account requires one: you add another at your next sign-in.
        </p>
      )}
    </Confirm>
  )
}
