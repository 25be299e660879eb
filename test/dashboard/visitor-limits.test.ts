import { beforeEach, expect, test } from 'bun:test'
import { newToken } from '../../src/people/token'
import { useArden } from '../support/arden'
import { person } from '../support/http/person'
import { useMailServer } from '../support/mail/server'
import { useOidcProvider } from '../support/oidc/provider'

/** Limits of what visitors begin without a session: by network, and by the /48 of an IPv6 address. */

const PUBLIC_URL = 'https://arden.example.com'
const server = await useMailServer()
const provider = await useOidcProvider(`${PUBLIC_URL}/dashboard/sign-in/oidc`)
const arden = await useArden(
  { serve: true },
  {
    ARDEN_SMTP_URL: server.url,
    ARDEN_MAIL_FROM: 'arden@example.com',
    ...provider.settings,
    ARDEN_PUBLIC_URL: PUBLIC_URL,
    ARDEN_TRUSTED_PROXIES: '127.0.0.1',
  },
)
const visitor = person(arden.url)
beforeEach(async () => {
  await arden.sql`DELETE FROM sign_in_tries`
})

/** Each has a /48 of its own, because the process remembers which ones are over a limit. */
const BEGINNINGS = [
  {
    what: 'a request for a new password',
    site: '2001:db8:1',
    path: '/open/password-reset',
    body: () => ({ email: `${newToken()}@example.com` }),
    kind: 'resets',
    limits: { network: 30, site: 120 },
  },
  {
    what: 'a sign-in with a passkey',
    site: '2001:db8:2',
    path: '/open/passkey/options',
    body: () => ({}),
    kind: 'challenges',
    limits: { network: 300, site: 1_200 },
  },
  {
    what: 'a sign-in with a provider',
    site: '2001:db8:4',
    path: '/open/oidc',
    body: () => ({}),
    kind: 'oidc',
    limits: { network: 300, site: 1_200 },
  },
  {
    what: 'a call of a command line for its key',
    site: '2001:db8:3',
    path: '/open/cli-sign-in',
    body: () => ({ secret: newToken() }),
    kind: 'claim',
    limits: { network: 1_000, site: 4_000 },
  },
]

for (const { what, site, path, body, kind, limits } of BEGINNINGS) {
  const begin = async (network: number) => {
    const headers = { origin: PUBLIC_URL, 'x-forwarded-for': `${site}:${network}::1` }
    return (await visitor('POST', path, body(), headers)).status
  }
  /** As if others had begun that often. */
  const setCount = (subject: string, count: number) => arden.sql`
    UPDATE sign_in_tries SET count = ${count} WHERE subject = ${subject}`
  const counted = async () => {
    const [row] = await arden.sql`SELECT sum(count)::int AS count FROM sign_in_tries`
    return row?.count
  }

  test(`${what} is limited by network, which then costs no statement`, async () => {
    expect(await begin(1)).toBe(200)
    await setCount(`${kind}:${site}:1::/64`, limits.network)
    expect(await begin(1)).toBe(429)
    const before = await counted()
    expect([await begin(1), await begin(1)]).toEqual([429, 429])
    expect(await counted()).toBe(before)
    expect(await begin(2)).toBe(200)
  })

  test(`${what} is limited by the /48 of the network, which then costs no statement`, async () => {
    expect(await begin(3)).toBe(200)
    await setCount(`${kind === 'claim' ? 'claims' : kind}OfSite:${site}::/48`, limits.site)
    expect(await begin(4)).toBe(429)
    const before = await counted()
    expect([await begin(5), await begin(6)]).toEqual([429, 429])
    expect(await counted()).toBe(before)
  })
}
