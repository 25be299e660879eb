import type { Person } from '../../../people/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

export const ResetSignIn = ({ of: person, onClose }: { of: Person; onClose: () => void }) => {
  const reset = useChange('people', 'sessions', 'audit')
  return (
    <Confirm
      open
      title={`Reset the sign-in of ${person.email}?`}
      action="Reset sign-in"
      busy={reset.isPending}
      error={reset.error}
      onClose={onClose}
      onConfirm={() =>
        reset.mutate(
          { method: 'POST', path: `/people/${person.id}/reset-sign-in`, body: {} },
          {
            onSuccess: () => {
              toast({ title: `Sign-in of ${person.email} reset` })
              onClose()
            },
          },
        )
      }
    >
      <p>
        Their passkeys and their link to single sign-on are removed, and they are signed out
        everywhere. Their password stays. Do this when they have lost a device, or cannot sign in
        with single sign-on any more.
      </p>
    </Confirm>
  )
}
