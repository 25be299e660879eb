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
        if (document.activeElement !== document.body) return
        const target = opener?.isConnected ? opener : document.getElementById('content')
        target?.focus()
      })
    },
    [opener],
  )
}

/** The focused element; of an item of a menu, the button of the menu. */
const findOpener = (): HTMLElement | null => {
  const focused = document.activeElement
  if (focused?.closest('[role=menu]'))
    return document.querySelector<HTMLElement>('[aria-haspopup=menu][aria-expanded=true]')
  return focused instanceof HTMLElement && focused !== document.body ? focused : null
}
