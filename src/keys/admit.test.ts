import { afterAll, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { createAccount } from '../accounts/store'
import type { Actor } from '../caller'
import { connect, isDatabaseUnavailable, type Sql } from '../db/connect'
import type { Admission } from '../http/request/admission'
import { findFreePort } from '../local/ports'
import { createAdmit } from './admit'
import { createKey, regenerateKey, revokeKey, updateKey } from './store'
import { generateValue } from './value'
import { ALL_MODES } from './visibility'

const actor: Actor = { type: 'cli', id: 'tests', name: 'tests' }

/** Two pools with a batcher each, as in two processes. */
afterAll(() => otherSql.end())
const { sql, url } = await useDatabase()
const otherSql = connect(url, { name: 'other' })
const admit = createAdmit(sql)
const otherAdmit = createAdmit(otherSql)
const account = await sql.begin(tx => createAccount(tx, actor, 'Test'))
const access = { accountId: account.id, actor, address: null, modes: ALL_MODES }

const newKey = (rate_limit: number) =>
  sql.begin(tx => createKey(tx, access, { name: 'k', scopes: ['read'], mode: 'live', rate_limit }))

const setLimit = (id: string, rate_limit: number) =>
  sql.begin(tx => updateKey(tx, access, id, { rate_limit }))

/** Sets the clock of a key, in microseconds after START: the window's time is never before its last hit. */
const setTime = (id: string, microseconds: number) => sql`
  UPDATE api_key_windows SET last_at = ${START}::timestamptz + ${microseconds} * interval '1 microsecond'
  WHERE key_id = ${id}`
/** A day ahead, so that the real clock never moves a key's time during a test. */
const START = new Date(Date.now() + 86_400_000).toISOString()
const SECOND = 1_000_000
const HOUR = 3600 * SECOND

const times = <T>(count: number, fn: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, fn))

const accepted = (admissions: Admission[]) =>
  admissions.filter(({ outcome }) => outcome === 'accepted').length

const resetOf = (admission: Admission) => {
  if (!('allowance' in admission)) throw new Error(`no allowance: ${admission.outcome}`)
  return admission.allowance.resetSeconds
}

describe('authentication', () => {
  test('distinguishes valid, unknown, revoked, expired and malformed keys', async () => {
    const valid = await newKey(10)
    const revoked = await newKey(10)
    await sql.begin(tx => revokeKey(tx, access, revoked.id))
    const expired = await newKey(10)
    await sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${expired.id}`
    const values = [valid.key, revoked.key, expired.key, generateValue('live'), 'ar_live_x']
    const outcomes = (await Promise.all(values.map(admit))).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['accepted', 'revoked', 'expired', 'unknown', 'malformed'])
  })

  test('returns the account, the mode, the actor and the scopes of the key', async () => {
    const { id, key } = await newKey(10)
    expect(await admit(key)).toEqual({
      outcome: 'accepted',
      caller: {
        accountId: access.accountId,
        mode: 'live',
        actor: { type: 'key', id, name: 'k' },
        scopes: ['read'],
      },
      allowance: { limit: 10, left: 9, resetSeconds: 3600 },
    })
  })

  test('refuses a malformed value without the database, and rejects other values while it is unavailable', async () => {
    const unavailable = connect(`postgres://nobody@127.0.0.1:${await findFreePort()}/none`, {
      name: 'unavailable',
    })
    const admitUnavailable = createAdmit(unavailable)
    const value = generateValue('live')
    expect(await admitUnavailable(`${value.slice(0, -1)}-`)).toEqual({ outcome: 'malformed' })
    const error = await admitUnavailable(value).catch((thrown: unknown) => thrown)
    expect(isDatabaseUnavailable(error)).toBe(true)
    await unavailable.end({ timeout: 0 })
  })

  test('refuses a revoked key on the very next request, in another process as well', async () => {
    const { id, key } = await newKey(1000)
    expect(accepted(await Promise.all([admit(key), otherAdmit(key)]))).toBe(2)
    await sql.begin(tx => revokeKey(tx, access, id))
    const after = await Promise.all([admit(key), otherAdmit(key)])
    expect(after).toEqual([{ outcome: 'revoked' }, { outcome: 'revoked' }])
  })

  test('refuses the old value of a regenerated key and accepts the new one at once', async () => {
    const { id, key } = await newKey(1000)
    expect((await otherAdmit(key)).outcome).toBe('accepted')
    const { key: fresh } = await sql.begin(tx => regenerateKey(tx, access, id))
    expect(await otherAdmit(key)).toEqual({ outcome: 'unknown' })
    expect(await otherAdmit(fresh)).toMatchObject({ outcome: 'accepted', allowance: { left: 998 } })
  })
})

describe('the rate limit', () => {
  test('is exact under 64 concurrent callers through two processes', async () => {
    const { id, key } = await newKey(200)
    let passed = 0
    const caller = async (_: unknown, number: number) => {
      for (let i = 0; i < 8; i++) {
        const { outcome } = await (number % 2 === 0 ? admit : otherAdmit)(key)
        if (outcome === 'accepted') passed++
      }
    }
    await Promise.all(Array.from({ length: 64 }, caller))
    expect(passed).toBe(200)
    const [hits] = await sql`
      SELECT sum(requests)::int AS count, min(n) AS first, max(n + requests - 1)::int AS last
      FROM api_key_hits WHERE key_id = ${id}`
    expect(hits).toEqual({ count: 200, first: 1, last: 200 })
  })

  test('is separate for each key where many keys share a round trip', async () => {
    const keys = await times(24, () => newKey(3))
    const forwards = keys.flatMap(({ key }) => [key, key])
    const results = await Promise.all([
      ...forwards.map(admit),
      ...forwards.toReversed().map(otherAdmit),
    ])
    expect(accepted(results)).toBe(24 * 3)
    const [hits] = await sql`
      SELECT count(DISTINCT key_id)::int AS keys, max(n + requests - 1)::int AS last FROM api_key_hits
      WHERE key_id IN ${sql(keys.map(({ id }) => id))}`
    expect(hits).toEqual({ keys: 24, last: 3 })
  })

  test('returns the remaining requests to each of several concurrent requests', async () => {
    const { key } = await newKey(5)
    const left = (await times(7, () => admit(key))).map(admission =>
      'allowance' in admission ? [admission.outcome, admission.allowance.left] : [],
    )
    expect(left).toEqual([
      ['accepted', 4],
      ['accepted', 3],
      ['accepted', 2],
      ['accepted', 1],
      ['accepted', 0],
      ['limited', 0],
      ['limited', 0],
    ])
  })

  test('frees a request when it is 3,600 s old, and not a microsecond before', async () => {
    const { id, key } = await newKey(2)
    for (const at of [0, 10 * SECOND]) {
      await setTime(id, at)
      await admit(key)
    }
    await setTime(id, HOUR - 1)
    expect((await admit(key)).outcome).toBe('limited')
    await setTime(id, HOUR)
    expect(accepted(await times(3, () => admit(key)))).toBe(1)
    await setTime(id, HOUR + 10 * SECOND)
    expect(accepted(await times(3, () => otherAdmit(key)))).toBe(1)
  })

  test('never accepts more than rate_limit requests in any 3,600 s', async () => {
    const { id, key } = await newKey(7)
    // Uneven steps through three hours, several requests at each.
    let step = 1
    for (let now = 0; now < 3 * HOUR; now += step * SECOND) {
      step = (step * 31) % 397
      await setTime(id, now)
      await times(1 + (step % 3), () => (step % 2 === 0 ? admit : otherAdmit)(key))
      const [window] = await sql`
        SELECT coalesce(sum(requests), 0)::int AS count FROM api_key_hits WHERE key_id = ${id}
          AND at > ${START}::timestamptz + ${now} * interval '1 microsecond' - interval '1 hour'`
      expect(window?.count).toBeLessThanOrEqual(7)
    }
  })

  test('returns exactly in how many seconds a request is accepted, and a refusal consumes nothing', async () => {
    const { id, key } = await newKey(3)
    for (const at of [0, 1_500_000, 2 * SECOND]) {
      await setTime(id, at)
      await admit(key)
    }
    const now = 2 * SECOND + 250_000
    await setTime(id, now)
    const refused = await times(20, () => admit(key))
    expect(accepted(refused)).toBe(0)
    const wait = Math.max(...refused.map(resetOf))
    expect(wait).toBe(3598)
    await setTime(id, now + (wait - 1) * SECOND)
    expect((await admit(key)).outcome).toBe('limited')
    await setTime(id, now + wait * SECOND)
    expect((await admit(key)).outcome).toBe('accepted')
  })

  test('takes effect on the next request when raised or lowered, and keeps the history', async () => {
    const { id, key } = await newKey(10)
    for (let second = 0; second < 10; second++) {
      await setTime(id, second * SECOND)
      expect((await admit(key)).outcome).toBe('accepted')
    }
    await setLimit(id, 4)
    // Seven of the ten must leave before one more may pass; the seventh came at second 6.
    const refused = await otherAdmit(key)
    expect(refused).toMatchObject({ outcome: 'limited', allowance: { limit: 4, left: 0 } })
    expect(resetOf(refused)).toBe(3600 + 6 - 9)
    await setTime(id, HOUR + 5 * SECOND)
    expect((await admit(key)).outcome).toBe('limited')
    await setTime(id, HOUR + 6 * SECOND)
    expect(accepted(await times(3, () => admit(key)))).toBe(1)

    await setLimit(id, 6)
    const raised = await times(4, () => admit(key))
    expect(accepted(raised)).toBe(2)
    await setLimit(id, 1)
    const lowest = await admit(key)
    expect(resetOf(lowest)).toBe(3600)
  })

  test('when lowered below a group of concurrent requests, waits until the whole group has left the window', async () => {
    const { id, key } = await newKey(10)
    await setTime(id, 0)
    expect(accepted(await times(3, () => admit(key)))).toBe(3)
    await setTime(id, 5 * SECOND)
    expect(accepted(await times(7, () => admit(key)))).toBe(7)
    for (const [limit, wait] of [
      [8, 3595],
      [7, 3600],
      [2, 3600],
    ] as const) {
      await setLimit(id, limit)
      expect(resetOf(await otherAdmit(key))).toBe(wait)
    }
    await setTime(id, HOUR + 5 * SECOND - 1)
    expect((await admit(key)).outcome).toBe('limited')
    await setTime(id, HOUR + 5 * SECOND)
    expect(accepted(await times(4, () => admit(key)))).toBe(2)
  })

  test('deletes hits that left the window, so that a key has about one window of them', async () => {
    const { id, key } = await newKey(200)
    for (let hour = 0; hour < 4; hour++) {
      await setTime(id, hour * HOUR)
      expect(accepted(await times(200, () => admit(key)))).toBe(200)
    }
    const [hits] = await sql`
      SELECT sum(requests)::int AS count FROM api_key_hits WHERE key_id = ${id}`
    expect(hits?.count).toBeLessThanOrEqual(200 + 128)
  })

  test('commits hits asynchronously, and only those', async () => {
    const { key } = await newKey(10)
    await sql.begin(async tx => {
      await createAdmit(tx as unknown as Sql)(key)
      expect((await tx`SHOW synchronous_commit`)[0]).toEqual({ synchronous_commit: 'off' })
    })
    expect((await sql`SHOW synchronous_commit`)[0]).toEqual({ synchronous_commit: 'on' })
  })
})
