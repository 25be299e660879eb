import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { filesOf } from '../support/content/exports'
import { useArticlePages } from '../support/dashboard/articles'
import { checkOffences, look } from '../support/dashboard/dashboard'
import { downloadOf } from '../support/dashboard/download'

/** Several articles selected in the list: published, exported, deleted (contract 6.16, 6.17). */

const pages = await useArticlePages()

const newArticles = async (...titles: string[]): Promise<string[]> => {
  const ids = []
  for (const title of titles) ids.push(await pages.newArticle(title))
  return ids
}
const openList = (search: string, role: 'owner' | 'viewer' = 'owner') =>
  pages.dashboard.open(`/live/articles?search=${search}`, { role })
const select = (page: Page, title: string) => page.getByLabel(`Select ${title}`, { exact: true })

const choose = (page: Page, menu: string, item: string) => async () => {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('selects a page and a range, and publishes and unpublishes what is selected', async () => {
  const ids = await newArticles('press a', 'press b', 'press c', 'press d')
  const page = await openList('press')
  await select(page, 'press d').check()
  await select(page, 'press b').click({ modifiers: ['Shift'] })
  await page.getByText('3 selected').waitFor()
  expect(await select(page, 'press c').isChecked()).toBe(true)
  await select(page, 'press c').uncheck()
  await page.getByText('2 selected').waitFor()
  await look(page, 'articles-selected')
  await page.getByRole('button', { name: 'Publish', exact: true }).press('Enter')
  await page.getByRole('alertdialog', { name: 'Publish 2 articles?' }).waitFor()
  await look(page, 'articles-publish')
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: 'Publish', exact: true })
    .press('Enter')
  await page.getByText('2 articles published').waitFor()
  await page.getByText('Select all 4 shown').click()
  await page.getByText('4 selected').waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Publish 2 articles?' })
  await dialog.getByText('2 articles are published already.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const statuses = await Promise.all(ids.map(async id => (await pages.article(id)).status))
  expect(statuses).toEqual(['DRAFT', 'PUBLISHED', 'DRAFT', 'PUBLISHED'])

  await page.getByRole('button', { name: 'Unpublish' }).click()
  const back = page.getByRole('alertdialog', { name: 'Unpublish 2 articles?' })
  await back.getByText('2 articles are drafts already.').waitFor()
  await back.getByRole('button', { name: 'Unpublish' }).click()
  await page.getByText('2 articles unpublished').waitFor()
  for (const id of ids) expect((await pages.article(id)).status).toBe('DRAFT')
  checkOffences(page)
}, 60_000)

test('deletes what is selected after a question that names how many, and names each that failed', async () => {
  const [, gone = ''] = await newArticles('filter a', 'filter b', 'filter c')
  const page = await openList('filter')
  await page.getByText('Select all 3 shown').click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 3 articles?' })
  await question.waitFor()
  await look(page, 'articles-delete')
  await pages.api.delete(`/articles/${gone}`)
  await question.getByRole('button', { name: 'Delete permanently' }).click()
  const result = page.getByRole('dialog', { name: '2 of 3 articles deleted' })
  await result.getByText('filter b').waitFor()
  await result.getByText(`No article with the id ${gone}`).waitFor()
  await look(page, 'articles-failed')
  await page.keyboard.press('Escape')
  await page.getByText('No matching articles').waitFor()
  checkOffences(page)
}, 60_000)

test('exports what is selected, what the filter shows, and one article', async () => {
  const [id = ''] = await newArticles('grind a', 'grind b', 'grind c')
  const page = await openList('grind', 'viewer')
  await select(page, 'grind a').press('Space')
  await select(page, 'grind c').press('Space')
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  const some = await downloadOf(page, choose(page, 'Export', 'Export as Markdown (ZIP)'))
  expect(some.name).toBe('articles.zip')
  expect(Object.keys(await filesOf(some.content))).toEqual(['grind-c.md', 'grind-a.md'])
  const all = await downloadOf(page, choose(page, 'Export all', 'Export as HTML (ZIP)'))
  expect(Object.keys(await filesOf(all.content))).toHaveLength(3)
  await page.getByRole('link', { name: 'grind a' }).click()
  await page.waitForURL(`**/articles/${id}`)
  const one = await downloadOf(page, choose(page, 'Export', 'Export as HTML'))
  expect([one.name, await one.content.text()]).toEqual([
    'grind-a.html',
    expect.stringContaining('<h1>grind a</h1>'),
  ])
  checkOffences(page)
}, 60_000)

test('nothing runs in an exported document, even without its policy', async () => {
  const id = await pages.newArticle(
    '<img src=x onerror=window.ran=1>',
    [
      '<script>window.ran=1</script><svg onload=window.ran=1><img src=x onerror=window.ran=1>',
      '[click](javascript:window.ran=1) [click](java&#10;script&colon;window.ran=1) ![x](javascript:window.ran=1)',
      '![" onerror="window.ran=1](http://127.0.0.1:9/x "\\" onerror=\\"window.ran=1")',
      '</article></body><script>window.ran=1</script>',
    ].join('\n\n'),
  )
  const page = await pages.open(id)
  const file = await downloadOf(page, choose(page, 'More actions', 'Export as HTML'))
  const html = (await file.content.text()).replace(/<meta http-equiv.*\n/, '')
  const document = await page.context().newPage()
  await document.setContent(html)
  const protocols = await document
    .getByText('click')
    .evaluateAll(links => links.map(link => ('protocol' in link ? link.protocol : '')))
  expect(protocols).toHaveLength(2)
  expect(protocols).not.toContain('javascript:')
  expect(await document.evaluate('window.ran')).toBeUndefined()
  expect(await document.locator('script, svg').count()).toBe(0)
}, 60_000)
