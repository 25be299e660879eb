/** Whether the `hostname` of a URL is how this machine calls itself. */
export const isLoopbackName = (hostname: string): boolean =>
  /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
