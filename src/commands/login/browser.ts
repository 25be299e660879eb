/** Opens the link in the user's browser, where this terminal has one. It is printed in any case. */
export const openBrowser = (link: string): void => {
  const command = browserCommand()
  if (command === undefined || !process.stderr.isTTY || process.env.SSH_CONNECTION) return
  Bun.spawn([command, link], { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
}

const browserCommand = (): string | undefined => {
  if (process.platform === 'darwin') return 'open'
  // Without a display, xdg-open starts a browser in the terminal.
  const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  return hasDisplay ? (Bun.which('xdg-open') ?? undefined) : undefined
}
