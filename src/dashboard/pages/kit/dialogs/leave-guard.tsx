import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { Confirm } from './confirm'

/**
 * Asks for confirmation before leaving with unsaved changes. `allow` lets the next navigation pass.
 * @param meaning What happens to the changes, as a text of the question.
 */
export const useLeaveGuard = (isUnsaved: boolean, meaning: string) => {
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
        <p>{meaning}</p>
      </Confirm>
    ),
  }
}
