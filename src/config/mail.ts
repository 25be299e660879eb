import type { SettingReader } from './reader'

type Names = 'ARDEN_SMTP_URL' | 'ARDEN_MAIL_FROM' | 'ARDEN_PUBLIC_URL'

/** How Arden sends email. */
export type MailConfig = {
  smtp: {
    host: string
    port: number
    /** TLS from the first byte, as with smtps://. */
    isTls: boolean
    auth: { user: string; pass: string } | undefined
  }
  from: { name: string; address: string }
}

/** The ports of submission: with STARTTLS, and with TLS from the first byte. */
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const

/**
 * Undefined without ARDEN_SMTP_URL. The links in emails begin with ARDEN_PUBLIC_URL, never with what a request says its
 * host is: that would let a stranger choose where a link for a new password leads.
 */
export const readMail = ({ text, url, settingError }: SettingReader<Names>) => {
  const given = url('ARDEN_SMTP_URL', Object.keys(PORTS))
  const from = text('ARDEN_MAIL_FROM')
  if (given === undefined && from === undefined) return undefined
  if (given === undefined)
    throw settingError('ARDEN_SMTP_URL', 'is not set, but ARDEN_MAIL_FROM is', [
      'ARDEN_MAIL_FROM',
      'ARDEN_SMTP_URL',
    ])
  for (const name of ['ARDEN_MAIL_FROM', 'ARDEN_PUBLIC_URL'] as const)
    if (text(name) === undefined)
      throw settingError(name, 'is not set, but ARDEN_SMTP_URL is', ['ARDEN_SMTP_URL', name])
  const sender = readAddress(from ?? '')
  if (sender === undefined) throw settingError('ARDEN_MAIL_FROM', 'is not an email address')
  const { protocol, hostname, port, username, password, search, pathname } = new URL(given)
  if (hostname === '' || search !== '' || pathname.length > 1)
    throw settingError('ARDEN_SMTP_URL', 'has more than a user, a password, a host and a port')
  const decoded = (part: string) => {
    try {
      return decodeURIComponent(part)
    } catch {
      throw settingError(
        'ARDEN_SMTP_URL',
        'has a % in its user or password that is no escape: write % as %25',
      )
    }
  }
  return {
    smtp: {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? PORTS[protocol as keyof typeof PORTS] : Number(port),
      isTls: protocol === 'smtps:',
      auth: username === '' ? undefined : { user: decoded(username), pass: decoded(password) },
    },
    from: sender,
  } satisfies MailConfig
}

/** Whether it is one address and nothing else for a mail server: `a,b@example.com` is two. */
export const isMailAddress = (address: string): boolean =>
  /^[^\s\p{Cc}@<>,;:"'()[\]\\]+@[^\s\p{Cc}@<>,;:"'()[\]\\]+$/u.test(address)

/** Characters: the maximum of an address, and a name before it. */
const FROM_MAX = 500

/** `ada@example.com` or `Ada <ada@example.com>`. */
const readAddress = (given: string): MailConfig['from'] | undefined => {
  if (given.length > FROM_MAX) return undefined
  const [, name = '', inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(given.trim()) ?? []
  const address = inBrackets ?? given.trim()
  if (!isMailAddress(address)) return undefined
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}
