import { describe, expect, test } from 'bun:test'
import { readConfig } from '../config'

const read = (DATABASE_URL: string) => readConfig({ DATABASE_URL }).databaseUrl

describe('DATABASE_URL', () => {
  test.each(['pa%ss', 'half%', '%ff'])('names a password that cannot be decoded: %s', password => {
    expect(() => read(`postgres://arden:${password}@db/arden`)).toThrow(
      /^DATABASE_URL has a % in .*: write % as %25\. /,
    )
  })

  test('takes an encoded password', () => {
    const url = 'postgres://arden:p%25a%40s@db/arden'
    expect(read(url)).toBe(url)
  })
})
