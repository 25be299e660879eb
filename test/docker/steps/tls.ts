import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../support/until'
import type { Check } from '../check'
import { ready } from '../operator'

/** Caddy signs certificates for this name with an authority of its own; one of the Internet signs no other name here. */
const DOMAIN = 'localhost'
const URL = `https://${DOMAIN}`
const AUTHORITY = '/data/caddy/pki/authorities/local/root.crt'
const STARTS_S = 60

/** With the proxy, a user signs in at the public URL, and the session's cookie works. */
export const tls = async ({ operator, say }: Check): Promise<void> => {
  const { run, dir } = operator
  await appendFile(
    join(dir, '.env'),
    `ARDEN_DOMAIN=${DOMAIN}\nARDEN_PUBLIC_URL=${URL}\nARDEN_TRUSTED_PROXIES=172.16.0.0/12\n`,
  )
  await run('docker compose --profile tls up --detach')
  await ready(operator)
  const ca = await until(
    'Caddy has an authority',
    () => run(`docker compose --profile tls exec proxy cat ${AUTHORITY}`).catch(() => undefined),
    STARTS_S,
  )
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${URL}${path}`, { ...init, tls: { ca }, redirect: 'manual' })
  await until(
    'the proxy responds',
    async () => (await call('/readyz').catch(() => undefined))?.ok,
    STARTS_S,
  )

  const link =
    (await run('docker compose exec serve arden users invite --role owner')).split('\n')[0] ?? ''
  if (!link.startsWith(`${URL}/`)) throw new Error(`The link is ${link}.`)
  const headers = { origin: URL, 'content-type': 'application/json', 'x-arden-mode': 'live' }
  const signedIn = await call('/dashboard/api/open/link/sign-in', {
    method: 'POST',
    headers,
    body: JSON.stringify({
      token: link.split('#')[1],
      email: 'owner@example.com',
      password: 'correct horse battery',
    }),
  })
  if (!signedIn.ok) throw new Error(`Sign-in: ${signedIn.status} ${await signedIn.text()}`)
  const cookie = signedIn.headers.get('set-cookie') ?? ''
  if (!cookie.includes('Secure')) throw new Error(`The cookie is not secure: ${cookie}`)
  const me = await call('/dashboard/api/me', {
    headers: { ...headers, cookie: cookie.split(';')[0] ?? '' },
  })
  if (!me.ok) throw new Error(`The session does not work: ${me.status} ${await me.text()}`)
  say(`signed in at ${URL}, with a certificate of Caddy's own authority`)
}
