import { afterEach } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import type { Role } from '../../../src/people/schema'
import type { Roles } from '../../../src/start'
import { type Arden, startArden } from '../arden'
import { COOKIE, sessionToken } from '../http/person'
import { stopAfterTests } from '../stop-after-tests'
import { startChromium } from './chromium'
import { layoutProblems } from './layout'

/** Arden, a browser, and people who are signed in to its dashboard. */
export type Dashboard = Arden & {
  /** A page of someone who is signed in. `path` is below /dashboard, such as `/live/keys`. */
  open: (path: string, options?: OpenOptions) => Promise<Page>
  /** A page without a session. */
  visit: (path: string) => Promise<Page>
  stop: () => Promise<void>
}

/** `email` with another account than the first: no two accounts have the same one. */
type OpenOptions = { role?: Role; accountId?: string; email?: string }

const SCREENSHOTS = process.env.ARDEN_PICTURES ?? join(import.meta.dir, '../../screenshots')
/** For a thing to appear, in ms: a cold chunk, a request, a frame, on a busy machine. */
const APPEAR_MS = 60_000

const THEMES = ['light', 'dark'] as const
const WIDTHS = [1440, 390] as const
const HEIGHTS = { 1440: 900, 390: 844 } as const

/**
 * Open in the test that runs, and closed with it: a page that is left open requests every change of
 * the tests after it, and draws it.
 */
const contexts: BrowserContext[] = []
afterEach(async () => {
  await Promise.all(contexts.splice(0).map(context => context.close()))
})

/** Forbidden actions of each page, recorded while it was open. */
const offences = new WeakMap<Page, string[]>()

/** `startDashboard`, stopped after the tests of the file. */
export const useDashboard = async (
  ...options: Parameters<typeof startDashboard>
): Promise<Dashboard> => stopAfterTests(await startDashboard(...options))

const startDashboard = async (
  roles: Roles = { serve: true },
  settings: Record<string, string> = {},
  /** The host that the browser names, of this machine. */
  host = '127.0.0.1',
): Promise<Dashboard> => {
  const [arden, browser] = await Promise.all([startArden(roles, settings), startChromium()])
  const url = arden.url.replace('127.0.0.1', host)

  const newPage = async (token?: string) => {
    const context = await browser.newContext({
      viewport: { width: WIDTHS[0], height: HEIGHTS[WIDTHS[0]] },
      reducedMotion: 'reduce',
    })
    contexts.push(context)
    context.setDefaultTimeout(APPEAR_MS)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    if (token !== undefined)
      await context.addCookies([
        {
          name: COOKIE,
          value: token,
          domain: host,
          path: '/',
          secure: true,
          httpOnly: true,
          sameSite: 'Lax',
        },
      ])
    const page = await context.newPage()
    watch(page, url)
    return page
  }
  const goto = async (page: Page, path: string) => {
    await page.goto(`${url}/dashboard${path}`)
    return page
  }
  return {
    ...arden,
    open: async (path, { role, email, accountId = arden.accountId } = {}) =>
      goto(await newPage(await sessionToken({ ...arden, accountId }, role, email)), path),
    visit: async path => goto(await newPage(), path),
    stop: async () => {
      await browser.close()
      await arden.stop()
    },
  }
}

/** Records forbidden actions of a page: breaking its policy, throwing, or sending a request to another host. */
const watch = (page: Page, url: string) => {
  const found: string[] = []
  offences.set(page, found)
  page.on('pageerror', error => found.push(`threw ${error.message}`))
  page.on('console', message => {
    if (/Content Security Policy|Warning:/.test(message.text())) found.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(url) && !/^(data|blob|about):/.test(request.url()))
      found.push(`sent a request to ${request.url()}`)
  })
}

/**
 * Looks at a page in both themes at both widths: axe finds nothing serious, everything fits
 * (`layoutProblems`), and a picture of each is in test/screenshots/<name>-<theme>-<width>.png. Leaves it light and wide.
 */
export const look = async (page: Page, name: string): Promise<void> => {
  const found: string[] = []
  await takePictures(page, name, async (where, width, theme) => {
    if (theme === 'light') found.push(...(await accessProblems(page, where)))
    else if (width === WIDTHS[0]) found.push(...(await accessProblems(page, where, OF_COLOURS)))
    found.push(...(await layoutProblems(page)).map(problem => `${where}: ${problem}`))
  })
  if (found.length > 0) throw new Error(found.join('\n'))
  checkOffences(page)
}

/** The same pictures without the checks. `then` runs after each, in its width and theme. */
export const takePictures = async (
  page: Page,
  name: string,
  then?: (where: string, width: number, theme: string) => Promise<void>,
): Promise<void> => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHTS[width] })
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      const where = `${name}-${colorScheme}-${width}`
      await shot(page, where)
      await then?.(where, width, colorScheme)
    }
  }
  await page.setViewportSize({ width: WIDTHS[0], height: HEIGHTS[WIDTHS[0]] })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Opens the menu of the signed-in user. Not by the address alone: a list of people has buttons with it, too. */
export const openPersonMenu = (page: Page): Promise<void> =>
  page
    .getByRole('complementary')
    .getByRole('button', { name: /@example.com/ })
    .click()

/** One picture, of a moment: of the full page, or of the screen while a dialog is open. `name` can have a folder. */
export const shot = async (page: Page, name: string): Promise<void> => {
  const path = join(SCREENSHOTS, `${name}.png`)
  await mkdir(dirname(path), { recursive: true })
  await waitForStillness(page)
  const fullPage = (await page.locator('[role=dialog], [role=alertdialog]').count()) === 0
  await page.screenshot({ path, fullPage })
}

/** Fonts are there and nothing moves. */
const waitForStillness = (page: Page) =>
  page.evaluate(`Promise.all([
    document.fonts.ready,
    ...document.getAnimations().filter(one => one.effect?.getTiming().iterations !== Infinity)
      .map(one => one.finished.catch(() => {})),
  ]).then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done()))))`)

type Violations = { id: string; impact: string; help: string; nodes: { html: string }[] }[]

/** Rules that depend on colours; all others have the same result in both themes. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe finds serious; by all of its rules, or by some. */
export const accessProblems = async (
  page: Page,
  where: string,
  rules?: string[],
): Promise<string[]> => {
  // By the debugger's own evaluation, which the page's policy does not hold for.
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source)
  // The focus guards of Base UI hand the focus on at once, and what is closing is gone in 0.15 s; axe sees neither.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const violations = (await page.evaluate(
    `axe.run({ exclude: ['[data-base-ui-focus-guard]', '[data-ending-style]'] }, ${JSON.stringify(options)}).then(found => found.violations
      .filter(one => one.impact === 'serious' || one.impact === 'critical')
      .map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.map(({ html }) => ({ html })) })))`,
  )) as Violations
  return violations.map(
    ({ id, help, nodes }) =>
      `axe at ${where}: ${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`,
  )
}

/** The page has kept its policy, thrown nothing and sent no request to another host. */
export const checkOffences = (page: Page): void => {
  const found = offences.get(page) ?? []
  if (found.length > 0) throw new Error(`the page ${found.join('; ')}`)
}
