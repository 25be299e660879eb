/**
 * Follows a sign-in at a provider as a browser with cookies does, without one. Returns the query with which the provider
 * sends the browser back.
 */
export const followSignIn = async (url: string, redirectUri: string): Promise<string> => {
  const cookies = new Map<string, string>()
  for (let at = url; ; ) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`${at} responded ${response.status}: ${await response.text()}`)
    at = new URL(location, at).href
    if (at.startsWith(redirectUri)) return new URL(at).search.slice(1)
  }
}
