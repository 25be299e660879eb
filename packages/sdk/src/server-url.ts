import { BASE_PATH } from './generated.js'

/** What Arden serves below its own address: a URL that was copied from a browser, or from what `arden dev` prints. */
const BELOW = ['/dashboard', '/docs', BASE_PATH]

/**
 * The server of a URL, which may also be that of its API or of one of its pages, without a slash at the end.
 * @throws {TypeError} when it is not an http or https URL.
 */
export const serverUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // `localhost:3000` is a URL too, of the scheme `localhost`. The URL is not quoted: it can have a password.
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError(
      '`url` is not the URL of a server. Pass one such as `https://arden.example.com`.',
    )
  url.search = ''
  url.hash = ''
  const starts = BELOW.map(path => `${url.pathname}/`.indexOf(`${path}/`)).filter(at => at >= 0)
  if (starts.length > 0) url.pathname = url.pathname.slice(0, Math.min(...starts))
  return url.href.replace(/\/$/, '')
}
