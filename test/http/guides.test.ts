import { expect, test } from 'bun:test'
import { guideRoutes } from '../../src/http/docs/guide-routes'
import { GUIDES } from '../../src/http/docs/guides'
import { useArden } from '../support/arden'

/** The guides that the server has as pages. */

const arden = await useArden({ serve: true })
const open = async (path: string) => {
  const response = await fetch(`${arden.url}${path}`)
  return { status: response.status, headers: response.headers, html: await response.text() }
}

test('has each guide as a page of its own, without anything from another host', async () => {
  for (const [name, markdown] of GUIDES) {
    const { status, headers, html } = await open(`/docs/guides/${name}`)
    expect([name, status]).toEqual([name, 200])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const [, title = ''] = /^# (.+)$/m.exec(markdown) ?? []
    expect(html).toContain(`<title>${title} · Arden</title>`)
    expect(html.match(/<(script|link|img)[^>]*(src|href)="(?!\/docs\/|data:,)[^"]*"/g)).toBeNull()
  }
  for (const file of ['docs.css', 'theme.js'])
    expect((await open(`/docs/${file}`)).status).toBe(200)
})

test('every link of a guide leads to a page and a heading that exist', async () => {
  const pages = new Map<string, string>()
  for (const name of GUIDES.keys())
    pages.set(`/docs/guides/${name}`, (await open(`/docs/guides/${name}`)).html)
  const wrong: string[] = []
  let links = 0
  for (const [path, html] of pages)
    for (const [, href = ''] of html.matchAll(/<a href="([^"]+)"/g)) {
      if (href.startsWith('https:') || href === '/dashboard' || href === '/docs') continue
      links++
      const [target = '', anchor] = href.split('#')
      const page = pages.get(target === '' ? path : target)
      if (page === undefined || (anchor !== undefined && !page.includes(` id="${anchor}"`)))
        wrong.push(`${path}: ${href}`)
    }
  expect(wrong).toEqual([])
  expect(links).toBeGreaterThan(30)
})

test('where a guide first uses the program or the SDK, its reader learns how to get it', async () => {
  const { html: cli } = await open('/docs/guides/cli')
  const [beforeUse = ''] = cli.split('arden login --url')
  expect(beforeUse).toContain('<h2 id="install">')
  expect(beforeUse).toContain('<code>bun run build</code>')
  const { html: verify } = await open('/docs/guides/verify')
  const [, withSdk = ''] = verify.split('<h2 id="with-the-sdk">')
  expect(withSdk.split('<pre')[0]).toContain('<code>npm pack ./packages/sdk</code>')
  for (const [name, use, target] of [
    ['webhooks', 'import { verifyWebhook', 'verify#with-the-sdk'],
    ['quickstart', 'import { verifyWebhook', 'verify#with-the-sdk'],
    ['webhooks', '<code>arden ', 'cli#install'],
    ['mcp', 'arden keys create', 'cli#install'],
    ['api', '<code>arden ', 'cli#install'],
  ] as const) {
    const { html } = await open(`/docs/guides/${name}`)
    const paragraphs = html.split('</p>')
    const first = paragraphs.findIndex(one => one.includes(use))
    const shown = paragraphs.slice(0, first + 1).join()
    expect([name, first >= 0, shown.includes(`href="/docs/guides/${target}"`)]).toEqual([
      name,
      true,
      true,
    ])
  }
})

test('commands to copy have the URL of this server', async () => {
  const { host } = new URL(arden.url)
  const blocks = async (name: string, headers = {}) => {
    const response = await fetch(`${arden.url}/docs/guides/${name}`, { headers })
    return [...(await response.text()).matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].join('\n')
  }
  for (const name of ['quickstart', 'api', 'webhooks'])
    expect(await blocks(name)).toContain(`api=http://${host}/api/public/v1\n`)
  expect(await blocks('cli')).toContain(`arden login --url http://${host}<`)
  expect(await blocks('mcp')).toContain(`&quot;ARDEN_URL&quot;: &quot;http://${host}&quot;`)
  const { html } = await open('/docs/guides/quickstart')
  expect(html).toContain(`<a href="/docs">http://${host}/docs</a>`)
  // Whether that is https is not known.
  const elsewhere = await blocks('cli', { host: 'content.example.org' })
  expect(elsewhere).toContain('arden login --url https://arden.example.com<')
})

test('commands to copy have the public URL, but in the quick start, which is about a server on the reader’s machine', async () => {
  const routes = guideRoutes('https://content.example.org/')
  const htmlOf = async (name: string) =>
    (await routes.handle(new Request(`http://127.0.0.1/docs/guides/${name}`))).text()
  expect(await htmlOf('cli')).toContain('arden login --url https://content.example.org<')
  expect(await htmlOf('api')).toContain('api=https://content.example.org/api/public/v1\n')
  expect(await htmlOf('quickstart')).toContain('api=http://localhost:3000/api/public/v1\n')
  // A URL that begins with one of the examples.
  const similar = guideRoutes('https://arden.example.com:8443')
  const page = await similar.handle(new Request('http://127.0.0.1/docs/guides/api'))
  expect(await page.text()).toContain('api=https://arden.example.com:8443/api/public/v1\n')
})

test('leads from the addresses above the guides to a page', async () => {
  for (const path of ['/docs/guides', '/docs/guides/'])
    expect(await open(path)).toMatchObject({
      status: 200,
      html: expect.stringContaining('<title>Quick start'),
    })
})

test('says which guides there are instead of an unknown one', async () => {
  const { status, html } = await open('/docs/guides/nothing')
  expect(status).toBe(404)
  expect(html).toContain('quickstart')
})
