/** Whether Ctrl or ⌘ is pressed with a letter, with or without Caps Lock. Password managers send events without a key. */
export const isShortcut = (event: KeyboardEvent, letter: string): boolean =>
  (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key?.toLowerCase() === letter
