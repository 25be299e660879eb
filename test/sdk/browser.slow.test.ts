import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vectors } from '../../packages/sdk/vectors.json'
import { until } from '../support/until'
import { installPackage } from './installed'

const browser = Bun.which('chromium') ?? Bun.which('google-chrome') ?? undefined

/** Runs in the browser: the verdict on each vector, sent back. */
const PAGE = `<!doctype html><script type="module">
  import { verifyWebhook } from '/sdk.js'
  const { vectors } = await (await fetch('/vectors.json')).json()
  const verdicts = []
  for (const { body, headers, secrets, max_age_seconds } of vectors) {
    const bytes = Uint8Array.from(atob(body), one => one.charCodeAt(0))
    const options = { maxAgeSeconds: max_age_seconds }
    verdicts.push(
      await verifyWebhook(bytes, new Headers(headers), secrets, options).then(
        event => event.event,
        error => error.code,
      ),
    )
  }
  await fetch('/verdicts', { method: 'POST', body: JSON.stringify(verdicts) })
</script>`

test.skipIf(browser === undefined)(
  'in a browser the verifier is right about each vector',
  async () => {
    const [sdk, profile] = await Promise.all([
      installPackage(),
      mkdtemp(join(tmpdir(), 'arden-browser-')),
    ])
    let verdicts: string[] | undefined
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      routes: {
        '/': new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
        '/sdk.js': Bun.file(join(sdk, 'node_modules/@arden/sdk/dist/index.js')),
        '/vectors.json': Response.json({ vectors }),
        '/verdicts': async request => {
          verdicts = (await request.json()) as string[]
          return new Response('ok')
        },
      },
    })
    const child = Bun.spawn(
      [
        browser ?? '',
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--user-data-dir=${profile}`,
        server.url.href,
      ],
      { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
    )
    try {
      const found = await until('the browser is done', () => verdicts, 60)
      expect(vectors.map(({ name }, n) => [name, found[n]])).toEqual(
        vectors.map(({ name, genuine, event }) => [
          name,
          event
            ? expect.stringMatching(/^article\./)
            : genuine
              ? 'NO_EVENT'
              : expect.stringMatching(/^(NO_SIGNATURE|WRONG_SIGNATURE|TOO_OLD)$/),
        ]),
      )
    } finally {
      child.kill()
      await child.exited
      server.stop(true)
      for (const folder of [sdk, profile]) await rm(folder, { recursive: true, force: true })
    }
  },
  90_000,
)
