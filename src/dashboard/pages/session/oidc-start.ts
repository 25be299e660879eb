/** What a sign-in with a provider continues with when the browser is back: the invitation, and the page. */
type OidcStart = { invitation?: string | undefined; to?: string | undefined }

const KEY = 'arden.oidc'

export const keepOidcStart = (start: OidcStart): void =>
  sessionStorage.setItem(KEY, JSON.stringify(start))

/** Returns it once. */
export const takeOidcStart = (): OidcStart => {
  const kept = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  return kept === null ? {} : JSON.parse(kept)
}
