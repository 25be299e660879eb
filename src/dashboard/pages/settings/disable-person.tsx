import type { Person } from '../../../people/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'
import { useMe } from '../session/me'

export const DisablePerson = ({ of: person, onClose }: { of: Person; onClose: () => void }) => {
  const isOwn = useMe()?.person.id === person.id
  const disable = useChange<Person>('people', 'me', 'audit')
  return (
    <Confirm
      open
      title={`Disable ${person.email}?`}
      action="Disable"
      busy={disable.isPending}
      error={disable.error}
      onClose={onClose}
      onConfirm={() =>
        disable.mutate(
          { method: 'PATCH', path: `/people/${person.id}`, body: { disabled: true } },
          {
            onSuccess: () => {
              toast({ title: `${person.email} disabled`, text: 'Their sessions have ended.' })
              onClose()
            },
          },
        )
      }
    >
      {isOwn && (
        <p className="text-warn">
          This is your own user: you are signed out, and another owner has to enable you again.
        </p>
      )}
      <p>
        The user is signed out everywhere immediately and cannot sign in. Their sign-in links stop
        working. API keys that they created keep working. Revoke those that should stop.
      </p>
      <p>An owner can enable them again. Their password does not change.</p>
    </Confirm>
  )
}
