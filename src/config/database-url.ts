import type { SettingReader } from './reader'

/** URL parameters and the libpq variable of each. */
export const PG_VARIABLES = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
} as const

type Names = 'DATABASE_URL' | (typeof PG_VARIABLES)[keyof typeof PG_VARIABLES]

/** Adds the parameters from libpq's variables to the URL; those in the URL take precedence. */
export const readDatabaseUrl = ({
  url,
  text,
  settingError,
}: SettingReader<Names>): string | undefined => {
  const raw = text('DATABASE_URL')
  if (raw !== undefined && isCutAtPassword(raw))
    throw settingError(
      'DATABASE_URL',
      'cannot be read: in the user and the password, write / as %2F, ? as %3F and # as %23',
    )
  if (raw !== undefined && /^postgres(ql)?:/.test(raw) && !URL.canParse(raw))
    throw settingError('DATABASE_URL', 'cannot be read: check its host and its port')
  const given = url('DATABASE_URL', ['postgres:', 'postgresql:'])
  if (given === undefined) return undefined
  const parsed = new URL(given)
  if (!isDecodable(parsed))
    throw settingError(
      'DATABASE_URL',
      'has a % in its user, password, host or database that begins no encoded character: write % as %25',
    )
  for (const [parameter, variable] of Object.entries(PG_VARIABLES)) {
    const value = text(variable)
    if (value !== undefined && !parsed.searchParams.has(parameter))
      parsed.searchParams.set(parameter, value)
  }
  return parsed.href
}

/**
 * Whether a URL ends its host within the password: a host follows its first / ? or #, and no parameter is
 * between.
 */
const isCutAtPassword = (url: string): boolean => {
  const [, begin = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const [, between] = /^(.*)@[^@/?#]+\/[^@/?]*(?:\?.*)?$/s.exec(rest) ?? []
  return between !== undefined && begin.includes(':') && !PARAMETER.test(between)
}

const PARAMETER = /[?&][a-z_]{4,}=/

/** As the driver does, which would fail without naming the setting. */
const isDecodable = ({ username, password, host, pathname }: URL): boolean => {
  try {
    for (const part of [username, password, host, pathname]) decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
