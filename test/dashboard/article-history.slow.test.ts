import { expect, test } from 'bun:test'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'
import { checkOffences, look } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The versions of an article: what each changed, and restoring one. */

const pages = await useArticlePages()

const LINES = Array.from({ length: 30 }, (_, n) => `Line ${n + 1} of the recipe.`).join('\n')

const differenceOf = (page: Awaited<ReturnType<typeof pages.open>>) =>
  page.locator('ins, del').allTextContents()

test('shows what a version changed and what has changed since, and restores it', async () => {
  const id = await pages.newArticle('Cold brew', `${LINES}\nWait a day for the coffee.`)
  await pages.api.patch(`/articles/${id}`, { body: `${LINES}\nWait two days for the coffee.` })
  const page = await pages.open(id)
  await bodyOf(page).fill('All new.')
  await bodyOf(page).press('Control+s')
  await page.getByText('All changes saved').waitFor()
  await page.getByRole('link', { name: 'Version 3' }).click()

  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByText('owner@example.com').waitFor()
  await versions.getByRole('link', { name: /^Version 2/ }).click()
  await page.getByRole('heading', { name: 'Version 2' }).waitFor()
  await page.getByText('28 unchanged lines').waitFor()
  expect(await differenceOf(page)).toEqual(['a', 'two', 'day', 'days'])
  await look(page, 'article-history')

  await page.getByLabel('Compare').selectOption({ label: 'What has changed since' })
  await page.locator('ins', { hasText: 'All new.' }).waitFor()
  await page.getByRole('button', { name: 'Restore this version' }).click()
  await page.getByText('Version 2 restored', { exact: true }).waitFor()
  await versions.getByText('restored version 2').waitFor()
  expect(await pages.article(id)).toMatchObject({
    version: 4,
    body: `${LINES}\nWait two days for the coffee.`,
  })
  checkOffences(page)
})

test('asks before an earlier text of a published article becomes public', async () => {
  const id = await pages.newArticle('Ristretto', 'First.')
  await pages.api.patch(`/articles/${id}`, { body: 'Second.' })
  await pages.api.patch(`/articles/${id}`, { status: 'PUBLISHED' })
  const page = await pages.dashboard.open('/live/projects')
  let go = () => {}
  const released = new Promise<void>(resolve => {
    go = resolve
  })
  await page.route(`**/api/v1/articles/${id}`, async route => {
    await released
    await route.continue()
  })
  await page.goto(page.url().replace('/projects', `/articles/${id}/history?version=1`))
  const restore = page.getByRole('button', { name: 'Restore this version' })
  await page.getByText('First.').waitFor()
  // Whether the article is published is not known yet.
  expect(await restore.isDisabled()).toBe(true)
  go()
  const dialog = page.getByRole('alertdialog', { name: 'Restore version 1?' })
  await restore.click()
  await dialog.getByText('becomes public immediately').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await pages.article(id)).body).toBe('Second.')

  await restore.click()
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('Version 1 restored', { exact: true }).waitFor()
  expect(await pages.article(id)).toMatchObject({ body: 'First.', status: 'PUBLISHED' })
  checkOffences(page)
})

test('restores nothing over a change that the page has not seen', async () => {
  const id = await pages.newArticle('Espresso', 'First.')
  await pages.api.patch(`/articles/${id}`, { body: 'Second.' })
  const page = await pages.dashboard.open(`/live/articles/${id}/history?version=1`)
  await page.getByRole('button', { name: 'Restore this version' }).waitFor()
  await page.route('**/api/v1/articles/**', async route => {
    if (route.request().method() === 'POST')
      await pages.api.patch(`/articles/${id}`, { body: 'Third, meanwhile.' })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Restore this version' }).click()
  await page.getByText('Version not restored').waitFor()
  expect((await pages.article(id)).body).toBe('Third, meanwhile.')
  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByRole('link', { name: /^Version 3/ }).waitFor()
})

test('shows a viewer the versions without the button that restores one', async () => {
  const id = await pages.newArticle('Filter coffee', 'First.')
  await pages.api.patch(`/articles/${id}`, { body: 'Second.' })
  const page = await pages.open(id, 'viewer')
  await page.getByRole('link', { name: 'Version 2' }).click()
  await page.getByRole('link', { name: /^Version 1/ }).click()
  await until('its text is shown', async () => (await differenceOf(page)).includes('Second.'))
  expect(await page.getByRole('button', { name: /Restore/ }).count()).toBe(0)
})

test('prints all versions of the list', async () => {
  const id = await pages.newArticle('Much changed')
  for (let n = 2; n <= 12; n++) await pages.api.patch(`/articles/${id}`, { body: `Text ${n}.` })
  const page = await pages.dashboard.open(`/live/articles/${id}/history`)
  const versions = page.getByRole('navigation', { name: 'Versions' })
  await versions.getByText('Version 1', { exact: true }).waitFor()
  await page.setViewportSize({ width: 800, height: 900 })
  const hidden = () => versions.evaluate(one => one.scrollHeight - one.clientHeight)
  expect(await hidden()).toBeGreaterThan(0)
  await page.emulateMedia({ media: 'print' })
  expect(await hidden()).toBe(0)
})
