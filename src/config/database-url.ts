import type { SettingReader } from './reader'

/** The parameters of a URL that libpq's variables stand for. */
export const PG_VARIABLES = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
} as const

type Names = 'DATABASE_URL' | (typeof PG_VARIABLES)[keyof typeof PG_VARIABLES]

/** With what the variables add to it, so that the URL alone says how to connect. */
export const readDatabaseUrl = ({ url, text }: SettingReader<Names>): string | undefined => {
  const given = url('DATABASE_URL', ['postgres:', 'postgresql:'])
  if (given === undefined) return undefined
  const parsed = new URL(given)
  for (const [parameter, variable] of Object.entries(PG_VARIABLES)) {
    const value = text(variable)
    if (value !== undefined && !parsed.searchParams.has(parameter))
      parsed.searchParams.set(parameter, value)
  }
  return parsed.href
}
