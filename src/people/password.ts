import pLimit from 'p-limit'
import { DomainError, invalid } from '../errors'

const LENGTH_MIN = 10
const LENGTH_MAX = 200

/** argon2id with OWASP's parameters: 19 MiB, 2 passes. About 40 ms of one core. */
const OPTIONS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Hashes at the same time in one process: 76 MiB. Callers that wait beyond that are refused, after about 2 s of waiting. */
const CONCURRENT_MAX = 4
const WAITING_MAX = 100

/** @throws {DomainError} VALIDATION_ERROR for a password that is too short or too long; UNAVAILABLE as `limitHashing`. */
export const hashPassword = (password: string, member = 'password'): Promise<string> => {
  const normal = toNormalForm(password)
  if (normal.length < LENGTH_MIN || password.length > LENGTH_MAX)
    throw invalid(member, `must have ${LENGTH_MIN} to ${LENGTH_MAX} characters`)
  return limitHashing(() => Bun.password.hash(normal, OPTIONS))
}

/**
 * Whether the password matches the hash. Without a hash it verifies against a dummy hash, so that the response time
 * does not reveal whether an email address is known.
 * @throws {DomainError} UNAVAILABLE as `limitHashing`.
 */
export const verifyPassword = async (password: string, hash: string | null): Promise<boolean> => {
  const isMatch = await limitHashing(async () =>
    Bun.password.verify(toNormalForm(password), hash ?? (await createDummyHash())),
  )
  return isMatch && hash !== null
}

/** OpaqueString of RFC 8265: keyboards and password stores differ in how they encode an accent or a space. */
const toNormalForm = (password: string): string =>
  password.replace(/\p{Zs}/gu, ' ').normalize('NFC')

let dummyHash: Promise<string> | undefined

const createDummyHash = (): Promise<string> => {
  dummyHash ??= Bun.password.hash(crypto.randomUUID(), OPTIONS)
  return dummyHash
}

const limit = pLimit(CONCURRENT_MAX)

/** Bounds the memory and the CPU of Argon2 (contract 3.15). @throws {DomainError} UNAVAILABLE when too many callers wait. */
const limitHashing = async <T>(work: () => Promise<T>): Promise<T> => {
  if (limit.activeCount + limit.pendingCount >= CONCURRENT_MAX + WAITING_MAX)
    throw new DomainError(
      'UNAVAILABLE',
      'Too many users are signing in at the same time. Try again in a few seconds.',
    )
  return limit(work)
}
