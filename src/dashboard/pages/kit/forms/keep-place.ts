/**
 * For the `ref` of a text control: keeps what React takes from it. React writes what is typed to `defaultValue` as well,
 * with which browsers begin a new step to undo, so that Ctrl+Z took back one character; and a text that is replaced, such
 * as by another user's change, moves the cursor to its end.
 */
export const keepPlace = (control: HTMLElement | null) => {
  if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return
  // Nothing here resets a form, which is what it is for.
  Object.defineProperty(control, 'defaultValue', {
    configurable: true,
    get: () => control.value,
    set: () => {},
  })
  // React's own, by which it knows what was typed.
  const value = Object.getOwnPropertyDescriptor(control, 'value')
  if (value?.set === undefined) return
  Object.defineProperty(control, 'value', {
    ...value,
    set: (after: string) => {
      const { value: before, selectionStart: start, selectionEnd: end } = control
      value.set?.call(control, after)
      if (document.activeElement === control && start !== null && end !== null)
        control.setSelectionRange(moved(start, before, after), moved(end, before, after))
    },
  })
}

/** Where a place in a text is after one part of the text was replaced. */
export const moved = (place: number, before: string, after: string): number => {
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  if (place <= same) return place
  let end = 0
  while (end < shorter - same && before.at(-end - 1) === after.at(-end - 1)) end++
  return place >= before.length - end ? place + after.length - before.length : after.length - end
}
