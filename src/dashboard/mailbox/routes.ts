import { Elysia } from 'elysia'
import ipaddr from 'ipaddr.js'
import { isLoopbackName } from '../../config/loopback-name'
import { DomainError } from '../../errors'
import type { Mailbox } from '../../mail/mailbox'
import { MAIL_PAGE } from '../paths'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}

/** The page that shows the emails of `dev`, newest first. Only `dev` mounts it. */
export const mailboxRoutes = (mailbox: Mailbox) =>
  new Elysia({ name: 'mailbox' }).get(MAIL_PAGE, ({ request, server }) => {
    checkIsLocal(request, server?.requestIP(request)?.address)
    return new Response(page(mailbox), { headers: HEADERS })
  })

/**
 * Emails have links that sign in. A page of another site can have a host name that leads to this machine, so that its
 * requests come from here; such a request has that name. A tunnel or a proxy adds a header.
 * @throws {DomainError} NOT_FOUND
 */
const checkIsLocal = (request: Request, address: string | undefined): void => {
  const { hostname } = new URL(request.url)
  const isLocal =
    address !== undefined &&
    ipaddr.process(address).range() === 'loopback' &&
    isLoopbackName(hostname) &&
    !request.headers.has('forwarded') &&
    !request.headers.has('x-forwarded-for')
  if (!isLocal)
    throw new DomainError('NOT_FOUND', 'The emails of `dev` are shown on its own machine only.')
}

const page = (mailbox: Mailbox): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Email · Arden dev</title>
<style>
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif }
article { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 12px; padding: 1rem 1.25rem; margin: 1rem 0 }
h2 { font-size: 1.1rem; margin: 0 }
p { margin: .25rem 0; opacity: .8 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 1rem 0 0 }
</style>
</head>
<body>
<main>
<h1>Email</h1>
<p>With <code>dev</code>, emails are shown here instead of being sent. Reload the page to see new ones. To send them, set ARDEN_SMTP_URL.</p>
${mailbox.list().map(article).join('\n') || NO_EMAILS}
</main>
</body>
</html>
`

/** A link that was not opened before `dev` stopped is still pending in the settings, without its email. */
const NO_EMAILS = `<p>No emails since <code>dev</code> was started. Earlier ones are not kept: to get a link again, repeat what sent it. A new invitation replaces the one before.</p>`

const article = ({ to, at, subject, text }: ReturnType<Mailbox['list']>[number]): string =>
  `<article><h2>${Bun.escapeHTML(subject)}</h2><p>To ${Bun.escapeHTML(to)}, <time>${at.toISOString()}</time></p><pre>${withLinks(text)}</pre></article>`

const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => {
      const escaped = Bun.escapeHTML(part)
      return index % 2 === 1 ? `<a href="${escaped}">${escaped}</a>` : escaped
    })
    .join('')
