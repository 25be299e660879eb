import { describe, expect, test } from 'bun:test'
import { readConfig } from '../config'

const read = (DATABASE_URL: string) => readConfig({ DATABASE_URL }).databaseUrl

describe('DATABASE_URL', () => {
  test.each(['pa%ss', 'half%', '%ff'])('names a password that cannot be decoded: %s', password => {
    expect(() => read(`postgres://arden:${password}@db/arden`)).toThrow(
      /^DATABASE_URL has a % in .*: write % as %25\. /,
    )
  })

  test.each([
    'ab/cd',
    'a?b',
    'a#b',
    '12/cd',
    'a@b/cd',
    'a@b?c',
    'a@b#c',
    'a@b/c@d',
    'a@b/c=d',
    'a@b#c=d',
    '12?b=c',
    'a/b?c=d',
    'x?y=',
  ])('names what must be encoded in a password: %s', password => {
    expect(() => read(`postgres://arden:${password}@127.0.0.1:5432/arden`)).toThrow(
      /^DATABASE_URL cannot be read: in the user and the password, write \/ as %2F/,
    )
    expect(() => read(`postgres://arden:${password}@db/arden?sslrootcert=/etc/ca.crt`)).toThrow(
      /write \/ as %2F/,
    )
    expect(() => read('mysql://arden:x@db/arden')).toThrow(/is not a postgres/)
    expect(() => read('postgres://arden:x@db:99999/arden')).toThrow(/check its host and its port/)
  })

  test.each([
    'postgres://arden:pw@db/arden?application_name=arden%40eu',
    'postgres://arden:pw@db/arden?application_name=arden@eu',
    'postgres://db:5432/arden?user=arden@acme',
    'postgres://arden:pw@db/tenant@1',
    'postgres://db:5432/arden?user=arden@acme&sslrootcert=/ca.crt',
    'postgres://arden:pw@db/arden?sslmode=verify-full&sslrootcert=/etc/a@b/ca.crt',
  ])('takes an @ elsewhere: %s', url => {
    expect(read(url)).toBeString()
  })

  test('takes an encoded password', () => {
    const url = 'postgres://arden:p%25a%40s@db/arden'
    expect(read(url)).toBe(url)
  })
})
