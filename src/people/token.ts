import { createHash, randomBytes } from 'node:crypto'

const BYTES = 32

/** A secret that stands for someone, in a cookie or a link: 43 characters of base64url. */
export const newToken = (): string => randomBytes(BYTES).toString('base64url')

/** What is kept of it. 256 random bits need no salt and no slow hash. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
