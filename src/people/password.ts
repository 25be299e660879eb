import { invalid } from '../errors'

const LENGTH_MIN = 10
const LENGTH_MAX = 200

/** argon2id with OWASP's parameters: 19 MiB, 2 passes. About 40 ms of one core. */
const OPTIONS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** @throws {DomainError} VALIDATION_ERROR for a password that is too short or too long. */
export const hashPassword = (password: string, member = 'password'): Promise<string> => {
  if (password.length < LENGTH_MIN || password.length > LENGTH_MAX)
    throw invalid(member, `must have ${LENGTH_MIN} to ${LENGTH_MAX} characters`)
  return Bun.password.hash(password, OPTIONS)
}

/**
 * Whether the password matches the hash. Without a hash it verifies against a dummy hash, so that the response time
 * does not reveal whether an email address is known.
 */
export const verifyPassword = async (password: string, hash: string | null): Promise<boolean> => {
  dummyHash ??= Bun.password.hash(crypto.randomUUID(), OPTIONS)
  const isMatch = await Bun.password.verify(password, hash ?? (await dummyHash))
  return isMatch && hash !== null
}

let dummyHash: Promise<string> | undefined
