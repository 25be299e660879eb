import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client'
import { queryClient } from '../api/queries'
import { forgetKept, isAnyKept } from '../drafts/draft'
import { toastError } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

/** To the way in, once the session is over. Nothing of it stays in the tab. */
export const useLeaveSession = () => {
  const navigate = useNavigate()
  return async () => {
    // What is not saved was asked about before.
    await navigate({ to: '/sign-in', ignoreBlocker: true })
    forgetKept()
    queryClient.clear()
  }
}

/** Signs out, after a question where articles were written and not saved. */
export const useSignOut = () => {
  const leave = useLeaveSession()
  const [isAsked, setAsked] = useState(false)
  const signOut = useMutation({
    mutationFn: () => call('POST', '/me/sign-out', { body: {} }),
    onSuccess: leave,
    onError: error => toastError('Not signed out', error),
  })
  return {
    signOut: () => (isAnyKept() ? setAsked(true) : signOut.mutate()),
    question: isAsked && (
      <Confirm
        open
        title="Sign out without saving?"
        action="Sign out"
        busy={signOut.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() => signOut.mutate()}
      >
        <p>What you wrote in this tab and did not save is gone then.</p>
      </Confirm>
    ),
  }
}
