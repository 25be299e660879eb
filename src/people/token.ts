import { createHash, randomBytes } from 'node:crypto'

const BYTES = 32

/** A secret for a session cookie or a sign-in link: 43 characters of base64url. */
export const newToken = (): string => randomBytes(BYTES).toString('base64url')

/** The stored form of a token. 256 random bits need neither a salt nor a slow hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
