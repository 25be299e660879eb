import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { useDatabase } from '../../../test/support/database'
import { StartError } from '../../errors'
import { checkEncryptionKey, createCipher } from './encryption'
import { newSecret } from './secret'

const key = () => randomBytes(32)

describe('contract 4.4: secrets are stored encrypted, AES-256-GCM, key id in the stored form', () => {
  test('an encrypted secret decrypts with the same key and webhook', () => {
    const cipher = createCipher(key())
    const secret = newSecret()
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(cipher.decrypt(cipher.encrypt(secret, 'wh_1'), 'wh_1')).toBe(secret)
  })

  test('the stored form is v1, the key id, a unique nonce and the ciphertext', () => {
    const bytes = key()
    const cipher = createCipher(bytes)
    const [first, second] = [
      cipher.encrypt('x'.repeat(64), 'c'),
      cipher.encrypt('x'.repeat(64), 'c'),
    ]
    expect(first).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{107}$/)
    expect(first).not.toBe(second)
    expect(first.split('.')[1]).toBe(createHash('sha256').update(bytes).digest('hex').slice(0, 8))
  })

  test('a secret moved to another webhook does not decrypt', () => {
    const cipher = createCipher(key())
    expect(() => cipher.decrypt(cipher.encrypt('secret', 'wh_1'), 'wh_2')).toThrow()
  })

  test('a changed, truncated or malformed secret does not decrypt', () => {
    const cipher = createCipher(key())
    const stored = cipher.encrypt('secret', 'wh_1')
    const [version, keyId, nonce, sealed = ''] = stored.split('.')
    const flipped = `${sealed[0] === 'A' ? 'B' : 'A'}${sealed.slice(1)}`
    for (const wrong of [
      [version, keyId, nonce, flipped],
      [version, keyId, nonce, sealed.slice(4)],
      [version, keyId, nonce, sealed.slice(0, 8)],
      [version, keyId, nonce, ''],
      [version, keyId, '', sealed],
      ['v2', keyId, nonce, sealed],
      [version, keyId, nonce, sealed, 'more'],
      ['secret'],
      [''],
    ])
      expect(() => cipher.decrypt(wrong.join('.'), 'wh_1')).toThrow()
  })

  test('the error for a secret of another key has the key ids, which do not reveal a key', () => {
    const [mine, other] = [createCipher(key()), createCipher(key())]
    expect(() => mine.decrypt(other.encrypt('secret', 'wh_1'), 'wh_1')).toThrow(
      `encrypted with the key ${other.keyId}; available: ${mine.keyId}`,
    )
  })
})

describe('contract 4.4: a wrong ARDEN_ENCRYPTION_KEY stops the start', async () => {
  const { sql } = await useDatabase()

  test('processes that start at the same time agree on one key, and later starts need it', async () => {
    const ciphers = Array.from({ length: 10 }, () => createCipher(key()))
    const results = await Promise.allSettled(ciphers.map(cipher => checkEncryptionKey(sql, cipher)))
    const right = ciphers.filter((_, index) => results[index]?.status === 'fulfilled')
    expect(right).toHaveLength(1)
    for (const cipher of right) await checkEncryptionKey(sql, cipher)

    const wrong = createCipher(key())
    const error = await checkEncryptionKey(sql, wrong).catch(error => error)
    expect(error).toBeInstanceOf(StartError)
    expect(error.message).toContain('ARDEN_ENCRYPTION_KEY')
    expect(error.message).toContain(wrong.keyId)
    expect(error.message).toContain(right[0]?.keyId)
    expect(error.message).not.toContain('\n')
  })
})
