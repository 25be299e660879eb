import { useNavigate } from '@tanstack/react-router'
import { queryClient, useChange } from '../api/queries'
import { Confirm } from '../kit/confirm'

export const SignOutEverywhere = ({ onClose }: { onClose: () => void }) => {
  const navigate = useNavigate()
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
          {
            onSuccess: async () => {
              await navigate({ to: '/sign-in' })
              queryClient.clear()
            },
          },
        )
      }
    >
      <p>
        All your sessions end at once, in this browser too. What is typed into a form there and not
        saved is lost. API keys are not concerned.
      </p>
    </Confirm>
  )
}
