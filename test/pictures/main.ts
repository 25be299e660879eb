/**
 * `bun run pictures`: takes the pictures of docs/temporal-ui.md, from a `dev` of its own and its Temporal UI.
 * It takes about a minute, because of the retry delays. The README's pictures are the upper 800 pixels
 * of three of the others: full/overview, full/delivery and full/article, light and 1440 wide.
 *
 * `bun run pictures --all <folder>`: takes pictures of every page and dialog of the dashboard, in every state,
 * theme and width.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { findFreePort } from '../../src/local/ports'
import { type Client, client } from '../support/client'
import { startChromium } from '../support/dashboard/chromium'
import { closeTerminal, runInTerminal } from '../support/operations/terminals'
import { type Receiver, startReceiver } from '../support/receiver'
import { until } from '../support/until'

const ROOT = join(import.meta.dir, '../..')
const PICTURES = join(ROOT, 'docs/pictures')
/** Largest size of a picture in bytes: the repository keeps every version of it. */
const LARGEST = 150_000
/** In ms: a cold UI on a busy machine. */
const APPEAR_MS = 60_000
const SIZE = { width: 1280, height: 760 }

const stops: (() => unknown)[] = []

const main = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arden-pictures-'))
  stops.push(() => rm(folder, { recursive: true, force: true }))
  const { url, ui, key } = await startDev(folder)
  const as = client(url, key)
  const browser = await startChromium()
  stops.push(() => browser.close())
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
  page.setDefaultTimeout(APPEAR_MS)
  const workflows = `${ui}/namespaces/default/workflows`
  const [broken, well] = [
    receiver(() => new Response('no', { status: 503 })),
    receiver(() => new Response('ok')),
  ]
  await subscribe(as, well, 'article.created')
  const failing = await subscribe(as, broken, 'article.published')
  await write(as)

  const { workflow_id } = await until('it is FAILED', async () => {
    const delivery = await failing()
    return delivery?.status === 'FAILED' && delivery
  })
  await page.goto(`${workflows}?query=${encodeURIComponent('ExecutionStatus="Failed"')}`)
  const row = page.getByRole('link', { name: workflow_id }).first()
  await row.waitFor()
  // Collapses the side bar, so that the columns fit.
  await page.getByText('Saved Views').locator('..').getByRole('button').first().click()
  await page.getByText('deliverWebhook').first().waitFor()
  await take(page, 'temporal-failed', 440)

  await row.click()
  await page.getByText('attempt 3 of 3').first().waitFor()
  await take(page, 'temporal-why', 504)

  await page
    .getByRole('heading', { name: 'Event History' })
    .first()
    .evaluate(heading => heading.scrollIntoView())
  await page.getByText('Local Activity').first().waitFor()
  await take(page, 'temporal-attempts')
}

/** Starts `dev` on an empty data folder. Returns its URLs and the test key that it prints. */
const startDev = async (folder: string) => {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    ARDEN_DATA_DIR: join(folder, 'data'),
    PORT: String(await findFreePort()),
  }
  const dev = runInTerminal(`exec ${process.execPath} src/main.ts dev`, { cwd: ROOT, env })
  stops.push(() => closeTerminal(dev, 'SIGINT'))
  await until(
    'dev is ready',
    () => {
      if (dev.child.exitCode !== null) throw new Error(`dev ended:\n${dev.output.text}`)
      return dev.output.text.includes('Arden is ready')
    },
    120,
  )
  const found = (what: RegExp) => {
    const [, text] = what.exec(dev.output.text) ?? []
    if (text === undefined) throw new Error(`dev has not printed ${what}:\n${dev.output.text}`)
    return text
  }
  return {
    url: `http://localhost:${env.PORT}`,
    ui: found(/Temporal UI +(\S+)/),
    key: found(/Test key +(\S+)/),
  }
}

const receiver = (respond: () => Response): Receiver => {
  const started = startReceiver(respond)
  stops.push(started.stop)
  return started
}

/** Creates a webhook for the receiver. Returns a function that reads its newest delivery. */
const subscribe = async (as: Client, { url }: Receiver, event: string) => {
  const { id } = (await as.post('/webhooks', { url, events: [event] })).body.data
  return async () => (await as.get(`/webhooks/${id}/deliveries`)).body.data[0]
}

const write = async (as: Client) => {
  const project = (await as.post('/projects', { name: 'Blog' })).body.data
  const article = { project_id: project.id, title: 'Ten ways to brew coffee', status: 'PUBLISHED' }
  await as.post('/articles', article)
}

/** Takes the upper `height` pixels of the page. @throws when the picture is larger than `LARGEST`. */
const take = async (page: Page, name: string, height = SIZE.height) => {
  await page.evaluate('document.fonts.ready')
  const path = join(PICTURES, `${name}.png`)
  const clip = { x: 0, y: 0, width: SIZE.width, height }
  await page.screenshot({ path, clip, animations: 'disabled' })
  const { size } = await stat(path)
  process.stdout.write(`docs/pictures/${name}.png, ${Math.ceil(size / 1000)} kB\n`)
  if (size > LARGEST) throw new Error(`${name} has more than ${LARGEST / 1000} kB`)
}

/** Runs the test that opens every page. Its pictures are in `folder`, by state. */
const takeAll = async (folder: string) => {
  const run = Bun.spawn(
    [process.execPath, 'test/run.ts', './test/dashboard/every-page.slow.test.ts'],
    {
      cwd: ROOT,
      env: { ...process.env, ARDEN_PICTURES: resolve(folder) },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  process.exitCode = await run.exited
}

try {
  const [option, folder] = process.argv.slice(2)
  if (option === undefined) await main()
  else if (option === '--all' && folder !== undefined) await takeAll(folder)
  else {
    process.stderr.write('Usage: bun run pictures [--all <folder>]\n')
    process.exitCode = 2
  }
} finally {
  for (const stop of stops.splice(0).reverse()) await stop()
}
