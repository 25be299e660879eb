import type { SettingReader } from './reader'

/** The first key encrypts, all keys decrypt. */
export type EncryptionKeys = [Buffer, ...Buffer[]]

/** Comma-separated keys of 32 bytes in hexadecimal; undefined if not set. */
export const readEncryptionKeys = ({
  text,
  settingError,
}: SettingReader<'ARDEN_ENCRYPTION_KEY'>): EncryptionKeys | undefined => {
  const given = text('ARDEN_ENCRYPTION_KEY')
  if (given === undefined) return undefined
  const keys = given.split(',').map(key => key.trim())
  // The value is a secret: the message must not show it.
  if (!keys.every(key => /^[0-9a-f]{64}$/i.test(key)))
    throw settingError(
      'ARDEN_ENCRYPTION_KEY',
      'is not 64 hexadecimal characters, or several such keys with commas between them',
    )
  const [first = '', ...others] = keys
  return [Buffer.from(first, 'hex'), ...others.map(key => Buffer.from(key, 'hex'))]
}
