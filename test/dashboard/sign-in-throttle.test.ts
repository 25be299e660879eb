import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { invitePerson } from '../../src/people/store'
import { type Arden, startArden } from '../support/arden'
import { type Person, person } from '../support/http/person'

/** Limits of sign-in attempts by network address. */
let arden: Arden
let visitor: Person

const PASSWORD = 'correct horse battery'
/** Contract 3.15. */
const PER_ADDRESS = 50

beforeAll(async () => {
  arden = await startArden({ serve: true }, { ARDEN_TRUSTED_PROXIES: '127.0.0.1' })
  visitor = person(arden.url)
})
afterAll(() => arden.stop())
beforeEach(async () => {
  await arden.sql`DELETE FROM sign_in_tries`
})

/** Requests of a client with this address, by way of a trusted proxy. */
const from =
  (address: string): Person =>
  (method, path, body) =>
    visitor(method, path, body, { 'x-forwarded-for': address })
const invite = () =>
  arden.sql.begin(tx =>
    invitePerson(
      tx,
      {
        accountId: arden.accountId,
        actor: { type: 'cli', id: 'tests', name: 'tests' },
        address: null,
      },
      { role: 'viewer' },
    ),
  )
const UNKNOWN = 'x'.repeat(43)
const useUnknown = (as: Person, path: string) =>
  as(
    'POST',
    path,
    path === '/open/link' ? { token: UNKNOWN } : { token: UNKNOWN, password: PASSWORD },
  )

describe('a sign-in link', () => {
  test('is looked up before a password is hashed', async () => {
    const hash = spyOn(Bun.password, 'hash')
    try {
      const unknown = await useUnknown(visitor, '/open/link/sign-in')
      expect(unknown.status).toBe(404)
      const short = { token: UNKNOWN, password: 'short' }
      expect((await visitor('POST', '/open/link/sign-in', short)).status).toBe(404)
      expect(hash).not.toHaveBeenCalled()
    } finally {
      hash.mockRestore()
    }
  })

  for (const path of ['/open/link', '/open/link/sign-in'])
    test(`${path} is refused after ${PER_ADDRESS} unknown links from one address`, async () => {
      const guesser = from('203.0.113.7')
      for (let n = 0; n < PER_ADDRESS; n++)
        expect((await useUnknown(guesser, path)).status).toBe(404)
      const refused = await useUnknown(guesser, path)
      expect([refused.status, refused.body.error]).toEqual([429, 'TOO_MANY_REQUESTS'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
      expect((await useUnknown(from('203.0.113.8'), path)).status).toBe(404)
    })

  test('does not count when it is known', async () => {
    const client = from('203.0.113.7')
    for (let n = 0; n < 3; n++) {
      const { token } = await invite()
      expect((await client('POST', '/open/link', { token })).status).toBe(200)
      const used = { token, email: `known-${n}@example.com`, password: PASSWORD }
      expect((await client('POST', '/open/link/sign-in', used)).status).toBe(200)
    }
    const counts = await arden.sql<{ count: number }[]>`SELECT count FROM sign_in_tries`
    expect(counts.map(({ count }) => count)).toEqual([0])
  })
})
