import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/client'
import { forgetUser, startLeaving } from '../api/queries'
import { hasStoredDrafts, removeStoredDrafts } from '../drafts/draft'
import { toastError } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

/** Leaves an ended session: removes its data from the tab and opens the sign-in page, which continues to `to`. */
export const useLeaveSession = () => {
  const navigate = useNavigate()
  return async (to?: string) => {
    startLeaving()
    // The user has already confirmed that unsaved changes are lost.
    await navigate({ to: '/sign-in', search: to === undefined ? {} : { to }, ignoreBlocker: true })
    removeStoredDrafts()
    forgetUser()
  }
}

/** Signs out, after a confirmation when articles have unsaved changes. The next sign-in continues to `to`. */
export const useSignOut = (to?: string) => {
  const leave = useLeaveSession()
  const [isConfirming, setConfirming] = useState(false)
  const signOut = useMutation({
    mutationFn: () => call('POST', '/me/sign-out', { body: {} }),
    onSuccess: () => leave(to),
    onError: error => toastError('Not signed out', error),
  })
  return {
    signOut: () => (hasStoredDrafts() ? setConfirming(true) : signOut.mutate()),
    question: isConfirming && (
      <Confirm
        open
        title="Sign out without saving?"
        action="Sign out"
        busy={signOut.isPending}
        onClose={() => setConfirming(false)}
        onConfirm={() => signOut.mutate()}
      >
        <p>Unsaved changes in this tab will be lost.</p>
      </Confirm>
    ),
  }
}
