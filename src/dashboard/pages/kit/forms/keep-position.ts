/** Controls that are prepared: React calls a `ref` more than once. */
const prepared = new WeakSet<HTMLElement>()

/**
 * For the `ref` of a text control: keeps what React takes from it. React writes what is typed to `defaultValue` as well,
 * with which browsers begin a new step to undo, so that Ctrl+Z took back one character; and a text that is replaced, such
 * as by another user's change, moves the cursor to its end. The steps to undo are of the text before: Ctrl+Z would put
 * what they took away to the end of the new one, so they are dropped.
 */
export const keepPosition = (control: HTMLElement | null) => {
  if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return
  if (prepared.has(control)) return
  prepared.add(control)
  // Nothing here resets a form, which is what it is for.
  Object.defineProperty(control, 'defaultValue', {
    configurable: true,
    get: () => control.value,
    set: () => {},
  })
  let hasSteps = false
  control.addEventListener('input', () => {
    hasSteps = true
  })
  // React's own, by which it knows what was typed.
  const value = Object.getOwnPropertyDescriptor(control, 'value')
  if (value?.set === undefined) return
  Object.defineProperty(control, 'value', {
    ...value,
    set: (text: string) => {
      const { value: before, selectionStart, selectionEnd, selectionDirection } = control
      value.set?.call(control, text)
      // Not `text`: the browser has changed its line breaks.
      const after = control.value
      if (after === before) return
      const isActive = document.activeElement === control
      if (hasSteps) dropSteps(control)
      hasSteps = false
      if (!isActive) return
      control.focus({ preventScroll: true })
      if (selectionStart === null || selectionEnd === null) return
      const [start, end] = [selectionStart, selectionEnd].map(at => movePosition(at, before, after))
      control.setSelectionRange(start ?? 0, end ?? 0, selectionDirection ?? 'none')
    },
  })
}

/** Browsers forget them when the control leaves the document. Where it is scrolled to is lost with that. */
const dropSteps = (control: HTMLElement): void => {
  const { scrollTop, scrollLeft } = control
  control.replaceWith(control)
  control.scrollTo(scrollLeft, scrollTop)
}

/** The position in a text after one part of it was replaced, in UTF-16 code units as the browser's. */
export const movePosition = (position: number, before: string, after: string): number => {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  if (position <= same) return position
  let end = 0
  while (end < shorter - same && before.at(-end - 1) === after.at(-end - 1)) end++
  return position >= before.length - end
    ? position + after.length - before.length
    : after.length - end
}
