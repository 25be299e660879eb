import { describe, expect, test } from 'bun:test'
import { setAllPaused } from '../../src/webhooks/endpoints/pause'
import { bodyOf, previewOf, useArticlePages } from '../support/dashboard/articles'
import { checkOffences, look } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The pages of articles. */

const pages = await useArticlePages()

const MARKDOWN = `# Cold brew

Grind **coarse**, and *wait* for [a day](https://acme.com/wait).

## What you need

1. Coffee & water
2. \`500 ml\` of patience

- [x] a jar
- [ ] a filter

> It is worth it.

| Water | Coffee |
| ----- | -----: |
| 1 l   | 60 g   |

\`\`\`
steep(24 * HOUR)
\`\`\`

![The jar](https://pictures.example/jar.png)
`

describe('articles', () => {
  test('creates, previews, saves, publishes and unpublishes an article', async () => {
    const page = await pages.dashboard.open('/live/articles')
    await page.getByText('No articles yet').waitFor()
    await look(page, 'articles-empty')
    await page.getByRole('button', { name: 'Create article' }).first().click()
    await page.getByRole('dialog').getByLabel('Project').selectOption({ label: 'Coffee' })
    await page.getByRole('dialog').getByLabel('Title').fill('Cold brew at home')
    await look(page, 'articles-create')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await bodyOf(page).fill(MARKDOWN)
    await previewOf(page).getByRole('heading', { name: 'What you need' }).waitFor()
    await previewOf(page).getByRole('cell', { name: '60 g' }).waitFor()
    await page.getByLabel('Meta title').fill('Cold brew: how to')
    await page.getByText('17 characters. Search engines usually show the first 60.').waitFor()
    await page.getByLabel('Meta description').fill('水出しコーヒーの作り方、Cold brew')
    await page.getByText('21 characters. Search engines usually show the first 80.').waitFor()
    await page.getByLabel('Meta description').fill('')
    await page.getByText('Unsaved changes', { exact: true }).waitFor()
    await look(page, 'article')
    // The width at which the two columns begin.
    await page.setViewportSize({ width: 1024, height: 768 })
    await previewOf(page).waitFor()
    expect(await page.getByRole('button', { name: 'Preview' }).isVisible()).toBe(false)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Preview' }).click()
    await previewOf(page).waitFor()
    await look(page, 'article-preview')

    await bodyOf(page).press('Control+s')
    await page.getByText('All changes saved').waitFor()
    // A double one: the second press is not one of "Unpublish".
    await page.getByRole('button', { name: 'Publish' }).press('Enter')
    await page.getByRole('button', { name: 'Unpublish' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unpublish', disabled: false }).waitFor()
    const id = page.url().split('/').at(-1)?.split('?')[0] ?? ''
    expect(await pages.article(id)).toMatchObject({
      status: 'PUBLISHED',
      body: MARKDOWN,
      meta_title: 'Cold brew: how to',
      meta_description: null,
    })
    await page.getByLabel('Title', { exact: true }).fill('Cold brew')
    await page.getByRole('button', { name: 'Save and unpublish' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor()
    expect(await pages.article(id)).toMatchObject({ status: 'DRAFT', title: 'Cold brew' })
    checkOffences(page)
  })

  test('shows what the checks find in the saved text', async () => {
    const id = await pages.newArticle('Cold brew', 'Made by [Company Name].')
    const page = await pages.open(id)
    await page.getByRole('button', { name: 'Check the text' }).click()
    await page.getByText(/a placeholder, such as “\[Company Name\]”/).waitFor()
    await look(page, 'article-checks')
    await bodyOf(page).fill('Made by us.')
    await bodyOf(page).press('Control+s')
    const outdated = page.getByText('These are results of an earlier text.')
    await outdated.waitFor()
    await page.getByRole('button', { name: 'Check the text' }).click()
    await page.getByText('The text has no placeholders.').waitFor()
    expect(await outdated.count()).toBe(0)
    // Saves of one user within five minutes are one version.
    await bodyOf(page).fill('TODO')
    await page.getByText('without your unsaved changes').waitFor()
    await look(page, 'article-checks-unsaved')
    await bodyOf(page).press('Control+s')
    await outdated.waitFor()
    expect(await page.getByText('without your unsaved changes').count()).toBe(0)
    expect((await pages.article(id)).version).toBe(2)
    checkOffences(page)
  })

  test('prints the whole article, also of a text too long for a live preview and in a narrow window', async () => {
    const operator = { type: 'cli', id: 'tests', name: 'tests' } as const
    await setAllPaused(pages.dashboard.sql, operator, true)
    const paragraphs = (count: number) =>
      Array.from({ length: count }, (_, n) => `Paragraph ${n + 1} of it.`).join('\n\n')
    for (const [count, width] of [
      [100, 1_440],
      [100, 800],
      [2_000, 1_440],
    ] as const) {
      const page = await pages.open(await pages.newArticle('On screen', paragraphs(count)))
      await page.setViewportSize({ width, height: 900 })
      await bodyOf(page).waitFor()
      await page.getByLabel('Title', { exact: true }).fill('On paper')
      await page.getByText('An operator has paused all deliveries.').waitFor()
      await page.emulateMedia({ media: 'print' })
      await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
      await previewOf(page).getByText(`Paragraph ${count} of it.`).waitFor()
      expect(await bodyOf(page).isVisible()).toBe(false)
      await page.evaluate(`document.documentElement.dataset.theme = 'dark'`)
      const color = `getComputedStyle(document.querySelector('[aria-label=Preview]')).color`
      expect(await page.evaluate(color)).toBe('rgb(23, 23, 28)')
      const hidden = await previewOf(page).evaluate(one => one.scrollHeight - one.clientHeight)
      expect([count, width, hidden]).toEqual([count, width, 0])
      // Nothing else: what stands above the text on the screen would cover it.
      const printed = await page.evaluate<string>('document.body.innerText')
      expect(printed).toMatch(
        /^On paper\s+Draft\s+Coffee\s+Version 1\s+art_\w+\s+Paragraph 1 of it\.[\s\S]* of it\.$/,
      )
    }
    await setAllPaused(pages.dashboard.sql, operator, false)
  })

  test('prints the article alone for a viewer as well', async () => {
    const page = await pages.open(await pages.newArticle('For viewers', 'Its text.'), 'viewer')
    await page.getByText('Events and deliveries').waitFor()
    await page.emulateMedia({ media: 'print' })
    const printed = await page.evaluate<string>('document.body.innerText')
    expect(printed).toStartWith('For viewers')
    expect(printed).toEndWith('Its text.')
  })

  test('filters the list, and keeps the filters in the address', async () => {
    await pages.newArticle('A draft')
    await pages.api.post('/articles', {
      project_id: pages.project,
      title: 'Is out',
      status: 'PUBLISHED',
    })
    const page = await pages.dashboard.open('/live/articles')
    await page.getByRole('link', { name: 'A draft' }).waitFor()
    await look(page, 'articles')
    await page.getByLabel('Status').selectOption('PUBLISHED')
    await page.getByRole('link', { name: 'A draft' }).waitFor({ state: 'detached' })
    await page.getByLabel('Project').selectOption({ label: 'Coffee' })
    await until('both are in the address', () =>
      page.url().endsWith(`?status=PUBLISHED&project=${pages.project}`),
    )
    await page.getByRole('link', { name: 'Is out' }).waitFor()
  })

  test('its keyword is not called deleted before all keywords are loaded', async () => {
    const { api, dashboard, project } = pages
    const path = `/projects/${project}/keywords`
    const keyword_id = (await api.post(path, { keyword: 'the oldest' })).body.data.id
    const keywords = Array.from({ length: 100 }, (_, n) => ({ keyword: `newer ${n}` }))
    await api.post(`${path}/batch`, { keywords })
    const body = { project_id: project, keyword_id, title: 'Oldest' }
    const { id } = (await api.post('/articles', body)).body.data
    const page = await dashboard.open('/live/articles')
    const fail = Promise.withResolvers<void>()
    const succeed = Promise.withResolvers<void>()
    let requests = 0
    await page.route('**/keywords?*cursor=*', async route => {
      const isFirst = requests++ === 0
      await (isFirst ? fail : succeed).promise
      await (isFirst
        ? route.fulfill({ status: 422, json: { error: 'X', message: 'x' } })
        : route.continue())
    })
    await page.goto(`${dashboard.url}/dashboard/live/articles/${id}`)
    const chosen = page.getByLabel('Keyword', { exact: true }).locator('option:checked')
    const isShown = (text: string) => until(text, async () => (await chosen.textContent()) === text)
    await isShown('Loading…')
    fail.resolve()
    await isShown('Not loaded. Reload the page.')
    await page.reload()
    await isShown('Loading…')
    succeed.resolve()
    await isShown('the oldest (US, desktop)')
  })

  test('describes what a deletion does before deleting', async () => {
    const id = await pages.newArticle('To be deleted')
    const page = await pages.open(id)
    await bodyOf(page).fill('What does it matter')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    expect(await page.getByRole('alertdialog').textContent()).toContain('cannot be undone')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('heading', { name: 'Articles' }).waitFor()
    expect((await pages.api.get(`/articles/${id}`)).status).toBe(404)
  })

  test('shows a viewer the article without controls that change it', async () => {
    const id = await pages.newArticle('Only to read', MARKDOWN)
    const { data: keyword } = (
      await pages.api.post(`/projects/${pages.project}/keywords`, { keyword: 'read only' })
    ).body
    await pages.api.patch(`/articles/${id}`, {
      slug: 'read-it',
      keyword_id: keyword.id,
      meta_title: 'Read it at home',
      meta_description: 'All about reading.',
    })
    const page = await pages.open(id, 'viewer')
    await page.getByRole('heading', { name: 'What you need' }).waitFor()
    for (const text of ['read-it', 'Read it at home', 'All about reading.'])
      await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'read only' }).waitFor()
    await page.getByRole('link', { name: 'Coffee' }).waitFor()
    await look(page, 'article-viewer')
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Save|ublish|More/ }).count()).toBe(0)
  })
})
