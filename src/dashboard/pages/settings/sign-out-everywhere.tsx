import { useChange } from '../api/queries'
import { Confirm } from '../kit/dialogs/confirm'
import { useLeaveSession } from '../session/sign-out'

export const SignOutEverywhere = ({ onClose }: { onClose: () => void }) => {
  const leave = useLeaveSession()
  const signOut = useChange()
  return (
    <Confirm
      open
      title="Sign out everywhere?"
      action="Sign out everywhere"
      busy={signOut.isPending}
      error={signOut.error}
      onClose={onClose}
      onConfirm={() =>
        signOut.mutate(
          { method: 'POST', path: '/me/sign-out-everywhere' },
          { onSuccess: () => leave() },
        )
      }
    >
      <p>
        All your sessions end immediately, including this one. Unsaved input is lost. API keys are
        not affected.
      </p>
    </Confirm>
  )
}
