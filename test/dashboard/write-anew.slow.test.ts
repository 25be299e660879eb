import { afterEach, expect, test } from 'bun:test'
import { ARTICLE, good, partOf } from '../support/content/generations'
import { streamed, useLlm } from '../support/content/llm'
import { bodyOf } from '../support/dashboard/articles'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'

/** An article that is written anew, and checks that a text must pass. */

let respond = good
afterEach(() => {
  respond = good
})
const llm = useLlm((request, count) => respond(request, count))
const dashboard = await useDashboard({ serve: true, worker: true }, llm.env)
const api = await dashboard.client()

const { id: project_id } = (await api.post('/projects', { name: 'Coffee' })).body.data
const newKeyword = async (keyword: string): Promise<string> =>
  (await api.post(`/projects/${project_id}/keywords`, { keyword })).body.data.id
const newArticle = async (keyword_id: string | null, title: string): Promise<string> =>
  (await api.post('/articles', { project_id, keyword_id, title, body: 'Mine.' })).body.data.id
const openMenu = (page: Awaited<ReturnType<typeof dashboard.open>>) =>
  page.getByRole('button', { name: 'More actions' }).click()

test('an article is written anew as its next version, after unsaved changes are saved', async () => {
  const id = await newArticle(await newKeyword('cold brew'), 'By hand')
  const page = await dashboard.open(`/live/articles/${id}`)
  await bodyOf(page).fill('Mine, edited.')
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Save and write anew…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Write the article anew' })
  await dialog.getByText('stays in its history').waitFor()
  await dialog.getByLabel('Tone').fill('dry')
  await look(page, 'article-write-anew')
  await dialog.getByRole('button', { name: 'Write anew' }).click()

  await page.getByRole('link', { name: 'Open article' }).click()
  await page.getByRole('heading', { name: ARTICLE.title, level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Version 3' }).click()
  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByRole('link', { name: /^Version 2/ }).click()
  await page.locator('ins', { hasText: 'edited' }).waitFor()
  const articles = (await api.get(`/articles?project_id=${project_id}`)).body.data
  expect(articles.map((one: { id: string }) => one.id)).toEqual([id])
  checkOffences(page)
})

test('an article without a keyword is written anew about one of its project', async () => {
  await newKeyword('espresso')
  const id = await newArticle(null, 'No keyword')
  const page = await dashboard.open(`/live/articles/${id}`)
  await openMenu(page)
  await page.getByRole('menuitem', { name: 'Write anew…' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Project').count()).toBe(0)
  expect(await dialog.getByRole('button', { name: 'Write anew' }).isDisabled()).toBe(true)
  await dialog
    .getByRole('combobox', { name: 'Keyword' })
    .selectOption({ label: 'espresso (US, desktop)' })
  await dialog.getByRole('button', { name: 'Write anew' }).click()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  const { data } = (await api.get(`/articles/${id}`)).body
  expect([data.title, data.version]).toEqual([ARTICLE.title, 2])
  checkOffences(page)
})

test('a text that fails a required check makes no article; generating again requires it again', async () => {
  respond = (request, count) =>
    partOf(request) === 'introduction' ? streamed(['Lorem ipsum.']) : good(request, count)
  const keyword = await newKeyword('ristretto')
  const page = await dashboard.open(`/live/keywords/${keyword}`)
  await page.getByRole('button', { name: 'Generate article' }).click()
  await page.getByRole('checkbox', { name: 'Placeholders' }).check()
  await page.getByRole('button', { name: 'Generate', exact: true }).click()
  await page.getByText('check_failed').waitFor()
  await page.getByText('Required checks', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  respond = good
  await page.getByRole('button', { name: 'Generate again' }).click()
  expect(await page.getByRole('checkbox', { name: 'Placeholders' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Generate', exact: true }).click()
  await page.getByRole('link', { name: 'Open article' }).waitFor()
  checkOffences(page)
})

test('a generation that writes an article anew does not announce a draft', async () => {
  const keyword_id = await newKeyword('doppio')
  const body = { keyword_id, article_id: await newArticle(keyword_id, 'Published') }
  const { id } = (await api.post('/generations', { ...body, review_outline: true })).body.data
  const page = await dashboard.open(`/live/generations/${id}`)
  await page.getByText('Waiting for an approval.').waitFor()
  await page.getByText('Article', { exact: true }).waitFor()
  expect(await page.getByText('Draft article').count()).toBe(0)
})

test('a new text that failed is written anew for the same article', async () => {
  const id = await newArticle(await newKeyword('lungo'), 'Kept')
  respond = (request, count) =>
    partOf(request) === 'introduction' ? streamed(['Lorem ipsum.']) : good(request, count)
  const keyword_id = (await api.get(`/articles/${id}`)).body.data.keyword_id
  const body = { keyword_id, article_id: id, required_checks: ['placeholder'] }
  const generation = (await api.post('/generations', body)).body.data
  const page = await dashboard.open(`/live/generations/${generation.id}`)
  await page.getByText('check_failed').waitFor()
  respond = good
  await page.getByRole('button', { name: 'Generate again' }).click()
  await page.getByRole('button', { name: 'Write anew' }).click()
  await page.getByRole('heading', { name: 'lungo', exact: true }).waitFor()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  expect((await api.get(`/articles/${id}`)).body.data.version).toBe(2)
  checkOffences(page)
})

test('the editor says that the article is being written anew, until that ends', async () => {
  const keyword_id = await newKeyword('macchiato')
  const id = await newArticle(keyword_id, 'In work')
  const page = await dashboard.open(`/live/articles/${id}`)
  await page.getByText('All changes saved').waitFor()
  const notice = page.getByText('This article is being written anew.')
  expect(await notice.count()).toBe(0)
  const body = { keyword_id, article_id: id, review_outline: true }
  const generation = (await api.post('/generations', body)).body.data
  await notice.waitFor()
  await api.post(`/generations/${generation.id}/cancel`, {})
  await notice.waitFor({ state: 'detached' })
})
