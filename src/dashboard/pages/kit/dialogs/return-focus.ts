import { useEffect, useState } from 'react'

/**
 * Returns the focus to where it was when the dialog opened: it is removed from the page at once, and its opener may be an
 * item of a menu that has closed. If the opener is gone, for example with a deleted row, the page gets the focus.
 */
export const useReturnFocus = (): void => {
  const [opener] = useState(findOpener)
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement === document.body)
          (opener?.isConnected ? opener : document.getElementById('content'))?.focus()
        if (document.activeElement !== null) focusPageWithout(document.activeElement)
      })
    },
    [opener],
  )
}

/** Gives the page the focus when the focused element is removed, for example with a row that is deleted. */
export const focusPageWithout = (focused: Element): void => {
  const stop = new AbortController()
  const observer = new MutationObserver(() => {
    if (focused.isConnected) return
    stop.abort()
    if (document.activeElement === document.body) document.getElementById('content')?.focus()
  })
  stop.signal.addEventListener('abort', () => observer.disconnect())
  observer.observe(document.body, { childList: true, subtree: true })
  const onFocus = ({ target }: FocusEvent) => {
    if (target !== focused) stop.abort()
  }
  document.addEventListener('focusin', onFocus, { signal: stop.signal })
}

/** The focused element; of an item of a menu, the button of the menu. */
const findOpener = (): HTMLElement | null => {
  const focused = document.activeElement
  if (focused?.closest('[role=menu]'))
    return document.querySelector<HTMLElement>('[aria-haspopup=menu][aria-expanded=true]')
  return focused instanceof HTMLElement && focused !== document.body ? focused : null
}
