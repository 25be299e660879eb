import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Client } from '../support/client'
import { checkOffences, type Dashboard, look, startDashboard } from '../support/dashboard'
import { until } from '../support/until'

/** Articles, in a browser. */
let dashboard: Dashboard
let api: Client
let project: string

beforeAll(async () => {
  dashboard = await startDashboard()
  api = await dashboard.client()
  project = (await api.post('/projects', { name: 'Coffee' })).body.data.id
})
afterAll(() => dashboard.stop())

const newArticle = async (title: string, body = ''): Promise<string> =>
  (await api.post('/articles', { project_id: project, title, body })).body.data.id
const open = async (id: string, role: 'owner' | 'viewer' = 'owner') =>
  dashboard.open(`/live/articles/${id}`, { role })
const article = async (id: string) => (await api.get(`/articles/${id}`)).body.data
const bodyOf = (page: Page) => page.getByLabel('Text, in Markdown')
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

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
  test('one is created, written beside its preview, saved, published and taken back', async () => {
    const page = await dashboard.open('/live/articles')
    await page.getByText('No live articles yet').waitFor()
    await look(page, 'articles-empty')
    await page.getByRole('button', { name: 'Create article' }).first().click()
    await page.getByRole('dialog').getByLabel('Project').selectOption({ label: 'Coffee' })
    await page.getByRole('dialog').getByLabel('Title').fill('Cold brew at home')
    await look(page, 'articles-create')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await bodyOf(page).fill(MARKDOWN)
    await preview(page).getByRole('heading', { name: 'What you need' }).waitFor()
    await preview(page).getByRole('cell', { name: '60 g' }).waitFor()
    await page.getByText('Not saved yet').waitFor()
    await look(page, 'article')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Preview' }).click()
    await preview(page).waitFor()
    await look(page, 'article-preview')

    await bodyOf(page).press('Control+s')
    await page.getByText('All is saved').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Unpublish' }).waitFor()
    const id = page.url().split('/').at(-1)?.split('?')[0] ?? ''
    expect(await article(id)).toMatchObject({ status: 'PUBLISHED', body: MARKDOWN })
    await page.getByLabel('Title').fill('Cold brew')
    await page.getByRole('button', { name: 'Save and unpublish' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor()
    expect(await article(id)).toMatchObject({ status: 'DRAFT', title: 'Cold brew' })
    checkOffences(page)
    await page.context().close()
  }, 60_000)

  test('the list is narrowed by filters that stand in the address', async () => {
    await newArticle('A draft')
    await api.post('/articles', { project_id: project, title: 'Is out', status: 'PUBLISHED' })
    const page = await dashboard.open('/live/articles')
    await page.getByRole('link', { name: 'A draft' }).waitFor()
    await look(page, 'articles')
    await page.getByLabel('Status').selectOption('PUBLISHED')
    await page.getByRole('link', { name: 'A draft' }).waitFor({ state: 'detached' })
    await page.getByLabel('Project').selectOption({ label: 'Coffee' })
    await until('both stand in the address', () =>
      page.url().endsWith(`?status=PUBLISHED&project=${project}`),
    )
    await page.getByRole('link', { name: 'Is out' }).waitFor()
    await page.context().close()
  }, 60_000)

  test('deleting says what breaks', async () => {
    const id = await newArticle('To be deleted')
    const page = await open(id)
    await bodyOf(page).fill('What does it matter')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    expect(await page.getByRole('alertdialog').textContent()).toContain('cannot be undone')
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Articles' }).waitFor()
    expect((await api.get(`/articles/${id}`)).status).toBe(404)
    await page.context().close()
  }, 30_000)

  test('a viewer reads it, and finds nothing to change', async () => {
    const id = await newArticle('Only to read', MARKDOWN)
    const page = await open(id, 'viewer')
    await page.getByRole('heading', { name: 'What you need' }).waitFor()
    await look(page, 'article-viewer')
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Save|ublish|More/ }).count()).toBe(0)
    await page.context().close()
  }, 60_000)
})

describe('what was typed is never lost', () => {
  test('by a save that is refused or not answered: the reason stands there, and trying again works', async () => {
    const id = await newArticle('Kept')
    const page = await open(id)
    await bodyOf(page).fill('Long thought about')
    await page.getByLabel('Slug').fill('Not A Slug')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('[data-invalid]').first().waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Long thought about')
    await look(page, 'article-refused')
    await page.getByLabel('Slug').fill('kept')

    await page.route('**/v1/articles/*', route =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('No answer came.').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Long thought about')
    await page.unroute('**/v1/articles/*')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All is saved').waitFor()
    expect((await article(id)).body).toBe('Long thought about')
    await page.context().close()
  }, 60_000)

  test('by going elsewhere: it is asked about, and is there again on coming back', async () => {
    const id = await newArticle('Left')
    const page = await open(id)
    await bodyOf(page).fill('Half a sentence')
    await page.getByRole('link', { name: 'Projects' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.waitFor()
    await look(page, 'article-leave')
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await bodyOf(page).inputValue()).toBe('Half a sentence')
    await page.getByRole('link', { name: 'Projects' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()

    await page.goBack()
    await page.getByText('What you wrote here earlier').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Half a sentence')
    await look(page, 'article-restored')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    expect(await bodyOf(page).inputValue()).toBe('')
    await page.reload()
    await bodyOf(page).waitFor()
    expect(await bodyOf(page).inputValue()).toBe('')
    await page.context().close()
  }, 60_000)

  test('by closing or reloading the page: the browser asks, and the text outlives it', async () => {
    const id = await newArticle('Reloaded')
    const page = await open(id)
    await bodyOf(page).fill('Almost gone')
    const asked = new Promise<string>(resolve =>
      page.once('dialog', async dialog => {
        resolve(dialog.type())
        await dialog.accept()
      }),
    )
    await page.reload()
    expect(await asked).toBe('beforeunload')
    await bodyOf(page).waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Almost gone')
    await page.context().close()
  }, 30_000)

  test('by a change that comes from elsewhere: what was not touched follows, what was typed stays', async () => {
    const id = await newArticle('From elsewhere', 'First')
    const page = await open(id)
    await bodyOf(page).fill('Mine')
    await until('the new title is there', async () => {
      await api.patch(`/articles/${id}`, { title: 'Their title', body: 'Theirs' })
      return (await page.getByLabel('Title').inputValue()) === 'Their title'
    })
    expect(await bodyOf(page).inputValue()).toBe('Mine')
    await page.getByText('The text was changed elsewhere').waitFor()
    await look(page, 'article-conflict')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    expect(await bodyOf(page).inputValue()).toBe('Theirs')
    await page.context().close()
  }, 60_000)

  test('by the end of the session: it is there again after signing in', async () => {
    const id = await newArticle('Signed out')
    const page = await open(id)
    await bodyOf(page).fill('Written late')
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    page.once('dialog', dialog => dialog.accept())
    await api.patch(`/articles/${id}`, { title: 'Asked for again' })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.context().addCookies(cookies)
    await page.goto(`${dashboard.url}/dashboard/live/articles/${id}`)
    await page.getByText('What you wrote here earlier').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Written late')
    await page.context().close()
  }, 30_000)

  test('by somebody who deletes the article: the page says so and keeps the text', async () => {
    const id = await newArticle('Deleted under it')
    const page = await open(id)
    await bodyOf(page).fill('Rescue me')
    await api.delete(`/articles/${id}`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Rescue me')
    await page.context().close()
  }, 30_000)

  test('by typing on while it is being saved', async () => {
    const id = await newArticle('Typed on')
    const page = await open(id)
    await bodyOf(page).fill('One')
    const held = Promise.withResolvers<void>()
    await page.route('**/v1/articles/*', async route => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await bodyOf(page).fill('One and two')
    held.resolve()
    await until('the first is saved', async () => (await article(id)).body === 'One')
    await page.getByText('Saved', { exact: true }).first().waitFor()
    expect(await bodyOf(page).inputValue()).toBe('One and two')
    await page.getByText('Not saved yet').waitFor()
    await page.context().close()
  }, 30_000)
})

describe('hostile Markdown', () => {
  const HOSTILE = [
    '<script>window.ran = 1</script>',
    '<img src=x onerror="window.ran = 1">',
    '<svg onload="window.ran = 1"></svg>',
    '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
    '<a href="javascript:window.ran=1">click</a>',
    '[one](javascript:window.ran=1)',
    '[two](JaVaScRiPt&colon;window.ran=1)',
    '[three](&#106;avascript:window.ran=1)',
    '[four](<java\tscript:window.ran=1>)',
    '[five](data:text/html,<script>window.ran=1</script>)',
    '[six](vbscript:window.ran=1)',
    '[seven]( javascript:window.ran=1)',
    '[eight][ref]',
    '<javascript:window.ran=1>',
    '![picture](javascript:window.ran=1)',
    '![picture](https://evil.example/seen.png)',
    '![x" onerror="window.ran=1](x)',
    '[x](https://a.example/"onmouseover="window.ran=1)',
    '```html"><script>window.ran=1</script>\n</code><script>window.ran=1</script>\n```',
    '&lt;script&gt;window.ran=1&lt;/script&gt;',
    '| <img src=x onerror=window.ran=1> |\n|--|\n| <b onclick=window.ran=1>b</b> |',
    '<form action=/dashboard/api/me><button>go</button></form><style>*{display:none}</style>',
    '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example">',
    '[ref]: javascript:window.ran=1',
  ].join('\n\n')

  test.each(['owner', 'viewer'] as const)(
    'runs nothing and asks nobody when a %s looks at it',
    async role => {
      const page = await open(await newArticle(`Hostile to ${role}`, HOSTILE), role)
      await page.getByText('seven').last().waitFor()
      const inside = role === 'owner' ? 'section[aria-label=Preview]' : 'main'
      const found =
        (await page.evaluate(`[...document.querySelectorAll('${inside} *')].map(one => ({
      name: one.localName,
      scripts: one.getAttributeNames().filter(name => name.startsWith('on')),
      href: one.getAttribute('href'),
    }))`)) as { name: string; scripts: string[]; href: string | null }[]
      const tags = new Set(found.map(({ name }) => name))
      for (const tag of ['script', 'img', 'iframe', 'form', 'style', 'base', 'meta', 'object'])
        expect(tags).not.toContain(tag)
      expect(found.flatMap(({ scripts }) => scripts)).toEqual([])
      for (const { href } of found)
        if (href !== null) expect(href).toMatch(/^(https?:|mailto:|\/dashboard\/)/)
      for (const link of await page.getByText(/^(one|two|three|four|five|six|seven|eight)$/).all())
        await link.click()
      expect(await page.evaluate('window.ran')).toBeUndefined()
      if (role === 'owner') await look(page, 'article-hostile')
      checkOffences(page)
      await page.context().close()
    },
    60_000,
  )

  test.each([
    ['quotes in quotes', '>'.repeat(30_000)],
    ['lists in lists', Array.from({ length: 200 }, (_, n) => `${' '.repeat(n * 2)}- a`).join('\n')],
    ['more than is shown at once', `${'Some words. '.repeat(20_000)}`],
  ])(
    'of %s leaves the page usable',
    async (_, body) => {
      const page = await open(await newArticle('Deep', body))
      await page.getByRole('button', { name: 'Publish' }).waitFor()
      await page.getByLabel('Title').fill('Still here')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('All is saved').waitFor()
      checkOffences(page)
      await page.context().close()
    },
    60_000,
  )
})
