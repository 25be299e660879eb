import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  ARTICLES,
  KEYWORDS,
  keywordOf,
  keywordsCsv,
  positionOf,
  REJECTED,
  useRankings,
  useUnreliableLlm,
} from '../support/content/content-team'
import { filesOf } from '../support/content/exports'
import { bodyOf } from '../support/dashboard/articles'
import { checkOffences, shot, useDashboard } from '../support/dashboard/dashboard'
import { downloadOf } from '../support/dashboard/download'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** The work of a content team in the browser, from 200 keywords to published articles and their rankings. */

const llm = useUnreliableLlm()
const serp = useRankings()
const receiver = useReceiver()
const dashboard = await useDashboard({ serve: true }, { ...llm.env, ...serp.env })

test('200 keywords become articles that are written, edited, compared, published, exported and ranked', async () => {
  const doomed = await spawnArden('worker', dashboard.env)
  const page = await dashboard.open('/live/webhooks')
  await subscribe(page)
  await createProject(page)
  await importKeywords(page)
  await generate(page)
  await untilSomeAreWritten(page)
  await doomed.kill('SIGKILL')
  const worker = await spawnArden('worker', dashboard.env)
  await untilAllHaveEnded(page)
  await retryTheRejected(page)

  await edit(page)
  await regenerate(page)
  await compareVersions(page)
  await schedule(page)
  await publish(page)
  await exportArticles(page)
  await trackRankings(page)
  await seeDeliveries(page)
  checkOffences(page)
  await worker.kill('SIGTERM')
}, 600_000)

const click = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()
const choose = async (page: Page, item: string) => {
  await click(page, 'More actions')
  await page.getByRole('menuitem', { name: item }).click()
}
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const rows = (page: Page, table: string) =>
  page.getByRole('table', { name: table }).getByRole('row')

const subscribe = async (page: Page) => {
  await click(page, 'Create webhook')
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByLabel('article.published').check()
  await click(page, 'Create')
  await click(page, 'I’ve saved it')
}

/** With a style guide, and a brief that all of its articles have. */
const createProject = async (page: Page) => {
  await goTo(page, 'Projects')
  await click(page, 'Create project')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Coffee blog')
  await dialog.getByRole('textbox', { name: 'Domain' }).fill('coffee.example')
  await dialog.getByLabel('Style guide').fill('Plain words. No superlatives.')
  await dialog.getByText('Defaults of its generations').click()
  await dialog.getByLabel('Audience').fill('home baristas')
  await dialog.getByLabel('Words').fill('300')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Coffee blog', level: 1 }).waitFor()
}

const importKeywords = async (page: Page) => {
  await click(page, 'Import')
  const dialog = page.getByRole('dialog')
  const give = (text: string) =>
    dialog.getByLabel('CSV file').setInputFiles({
      name: 'keywords.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    })
  await give(`${keywordsCsv()}decaf,XX,\r\n`)
  await dialog.getByText(`Line ${KEYWORDS + 2}, country`).waitFor()
  await shot(page, 'story/import-wrong-line')
  await give(keywordsCsv())
  await dialog.getByRole('button', { name: `Import ${KEYWORDS}` }).click()
  await page.getByText(`Imported ${KEYWORDS} keywords`).waitFor()
}

/** Of the keywords with one tag, selected together. */
const generate = async (page: Page) => {
  await page.getByLabel('Search this list').fill(keywordOf(0))
  const table = page.getByRole('table', { name: 'Keywords' })
  await table.getByRole('button', { name: 'first' }).first().click()
  await page.getByLabel('Search this list').fill('')
  await page.getByText(`Select all ${ARTICLES} shown`).click()
  await click(page, `Generate ${ARTICLES} articles`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Placeholders' }).check()
  await dialog.getByLabel('Tone').fill('friendly')
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await page.getByText(`Generating ${ARTICLES} articles`).waitFor()
}

const count = (page: Page, status: string) =>
  rows(page, 'Generations').getByText(status, { exact: true }).count()

const untilSomeAreWritten = async (page: Page) => {
  await goTo(page, 'Generations')
  await until('some are written', async () => (await count(page, 'Completed')) >= 3, 240)
  await shot(page, 'story/generations')
}

const untilAllHaveEnded = (page: Page) =>
  until(
    'all but one are written',
    async () =>
      (await count(page, 'Completed')) === ARTICLES - 1 && (await count(page, 'Failed')) === 1,
    300,
  )

const retryTheRejected = async (page: Page) => {
  await page.getByRole('link', { name: REJECTED, exact: true }).click()
  await page.getByText('provider_rejected').waitFor()
  llm.correct()
  const before = llm.texts.length
  await click(page, 'Retry')
  await page.getByText('Completed', { exact: true }).first().waitFor({ timeout: 120_000 })
  expect(llm.texts.slice(before)).not.toContain(`${REJECTED} / outline`)
  await page.getByRole('link', { name: 'Open article' }).click()
  await page.getByRole('heading', { name: `All about ${REJECTED}`, level: 1 }).waitFor()
}

const edit = async (page: Page) => {
  await bodyOf(page).press('End')
  await bodyOf(page).press('Control+End')
  await bodyOf(page).pressSequentially('\n\nAsk your barista.')
  await bodyOf(page).press('Control+s')
  await page.getByText('All changes saved').waitFor()
  await page.getByRole('link', { name: 'Version 2' }).waitFor()
}

const regenerate = async (page: Page) => {
  await choose(page, 'Write anew…')
  await page.getByRole('dialog').getByRole('button', { name: 'Write anew' }).click()
  await page.getByText('Completed', { exact: true }).first().waitFor({ timeout: 120_000 })
  await page.getByRole('link', { name: 'Open article' }).click()
}

const compareVersions = async (page: Page) => {
  await page.getByRole('link', { name: 'Version 3' }).click()
  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByText('owner@example.com').waitFor()
  await page.locator('del', { hasText: 'Ask your barista.' }).waitFor()
  await shot(page, 'story/versions')
  await page.goBack()
}

/** In the next minute of the browser's clock, which is as exact as its field. */
const schedule = async (page: Page) => {
  const at = await page.evaluate(() => {
    const time = new Date(Date.now() + 61_000)
    return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  })
  await choose(page, 'Schedule…')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Publish at').fill(at)
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('Scheduled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Unpublish' }).waitFor({ timeout: 180_000 })
}

const publish = async (page: Page) => {
  await goTo(page, 'Articles')
  await page.getByRole('link', { name: `All about ${keywordOf(5)}`, exact: true }).click()
  await click(page, 'Publish')
  await page.getByRole('button', { name: 'Unpublish' }).waitFor()
}

const exportArticles = async (page: Page) => {
  await goTo(page, 'Articles')
  const { name, content } = await downloadOf(page, async () => {
    await click(page, 'Export all')
    await page.getByRole('menuitem', { name: 'Export as Markdown (ZIP)' }).click()
  })
  expect(name).toBe('articles.zip')
  const texts = Object.values(await filesOf(content))
  expect(texts).toHaveLength(ARTICLES)
  expect(texts.filter(text => text.includes('\nstatus: "PUBLISHED"\n'))).toHaveLength(2)
}

const trackRankings = async (page: Page) => {
  await goTo(page, 'Projects')
  await page.getByRole('link', { name: 'Coffee blog', exact: true }).click()
  await click(page, 'Check now')
  const runs = rows(page, 'Runs of the rank tracking')
  await runs.getByText(`${KEYWORDS} of ${KEYWORDS}`).waitFor({ timeout: 240_000 })
  await page.getByLabel('Order').selectOption({ label: 'Best position first' })
  await rows(page, 'Keywords').nth(1).getByText('1', { exact: true }).waitFor()
  expect(positionOf(keywordOf(0))).toBe(1)
  await shot(page, 'story/rankings')
}

const seeDeliveries = async (page: Page) => {
  await goTo(page, 'Deliveries')
  await rows(page, 'Deliveries').getByText('Delivered').nth(1).waitFor()
  const events = receiver.received.map(({ body }) => JSON.parse(body).event)
  expect(events).toEqual(['article.published', 'article.published'])
}
