import { afterEach, expect, spyOn, test } from 'bun:test'
import { DomainError } from '../errors'
import { hashPassword, verifyPassword } from './password'

/** Replaces the hash function by one that waits for `finish`, and counts the calls that run at the same time. */
const blockHashing = () => {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const counts = { running: 0, most: 0, total: 0 }
  const run = async <T>(result: T): Promise<T> => {
    counts.total++
    counts.most = Math.max(counts.most, ++counts.running)
    await promise
    counts.running--
    return result
  }
  spies = [
    spyOn(Bun.password, 'hash').mockImplementation(() => run('hash')),
    spyOn(Bun.password, 'verify').mockImplementation(() => run(true)),
  ]
  return { counts, finish }
}
let spies: { mockRestore: () => void }[] = []
afterEach(() => {
  for (const spy of spies) spy.mockRestore()
})

test('is the same in another Unicode form, as another keyboard has it', async () => {
  const hash = await hashPassword('cafe\u0301 for ten')
  expect(await verifyPassword('café for ten', hash)).toBe(true)
  expect(await verifyPassword('café\u00a0for ten', hash)).toBe(true)
  expect(await verifyPassword('cafe for ten', hash)).toBe(false)
  // Each is two characters in NFC: the length is that of what was typed.
  expect(await hashPassword('\u0958'.repeat(150))).toStartWith('$argon2id$')
})

test('hashes at most 4 passwords at the same time, of all callers together', async () => {
  const { counts, finish } = blockHashing()
  const work = Array.from({ length: 20 }, (_, n) =>
    n % 2 ? hashPassword('correct horse battery') : verifyPassword('a password', 'hash'),
  )
  await Bun.sleep(0)
  expect(counts.running).toBe(4)
  finish()
  await Promise.all(work)
  expect(counts.most).toBe(4)
  expect(counts.total).toBe(20)
})

test('rejects at once when 100 others wait', async () => {
  const { counts, finish } = blockHashing()
  const waiting = Array.from({ length: 104 }, () => verifyPassword('a password', 'hash'))
  const error = await verifyPassword('a password', 'hash').catch(error => error)
  expect(error).toBeInstanceOf(DomainError)
  expect(error.code).toBe('UNAVAILABLE')
  finish()
  expect(await Promise.all(waiting)).not.toContain(false)
  expect(counts.total).toBe(104)
})
