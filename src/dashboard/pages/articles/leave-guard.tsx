import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { Confirm } from '../kit/dialogs/confirm'

/** Asks for confirmation before leaving with unsaved changes. `allow` lets the next navigation pass. */
export const useLeaveGuard = (isUnsaved: boolean) => {
  const unsaved = useRef(isUnsaved)
  useEffect(() => {
    unsaved.current = isUnsaved
  }, [isUnsaved])
  const shouldBlockFn = useCallback(
    ({ current, next }: { current: { pathname: string }; next: { pathname: string } }) =>
      unsaved.current && current.pathname !== next.pathname,
    [],
  )
  const blocker = useBlocker({
    shouldBlockFn,
    enableBeforeUnload: useCallback(() => unsaved.current, []),
    withResolver: true,
  })
  return {
    allow: () => {
      unsaved.current = false
    },
    question: blocker.status === 'blocked' && (
      <Confirm
        open
        danger={false}
        title="Leave without saving?"
        action="Leave"
        onClose={blocker.reset}
        onConfirm={blocker.proceed}
      >
        <p>
          Your changes are not saved. This tab keeps them and restores them when you open the
          article again.
        </p>
      </Confirm>
    ),
  }
}
