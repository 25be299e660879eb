import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { Confirm } from '../kit/dialogs/confirm'

/** Asks before the page is left while something is not saved. `allow` lets the next leaving pass. */
export const useLeave = (isUnsaved: boolean) => {
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
          What you changed here is not saved. It stays in this tab: when you come back to the
          article, it is there again.
        </p>
      </Confirm>
    ),
  }
}
