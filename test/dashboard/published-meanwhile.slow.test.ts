import { expect, test } from 'bun:test'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'
import { look } from '../support/dashboard/dashboard'

/** A draft that is published while a user edits it: nothing becomes public by surprise. */

const pages = await useArticlePages()

test('a save of what was edited before the publication asks first, and one afterwards does not', async () => {
  const id = await pages.newArticle('Published by another user')
  const page = await pages.open(id)
  const saveIt = () => page.getByRole('button', { name: 'Save', exact: true }).first().click()
  const question = page.getByRole('alertdialog', { name: 'Save to the published article?' })
  await bodyOf(page).fill('Half a sent')
  await pages.api.patch(`/articles/${id}`, { status: 'PUBLISHED' })
  await page.getByText('saving makes them public').waitFor()
  await page.getByText('While you were editing, this article was published').waitFor()
  await look(page, 'article-published-meanwhile')
  await page.keyboard.press('Control+s')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await saveIt()
  await question.waitFor()
  await look(page, 'article-save-public')
  expect((await pages.article(id)).body).toBe('')
  await question.getByRole('button', { name: 'Save' }).click()
  await page.getByText('All changes saved').waitFor()
  expect((await pages.article(id)).body).toBe('Half a sent')

  await bodyOf(page).fill('Half a sentence')
  await saveIt()
  await page.getByText('All changes saved').waitFor()
  expect((await pages.article(id)).body).toBe('Half a sentence')
})

test('nor does a save that has not seen the publication, and the question stays after a reload', async () => {
  const id = await pages.newArticle('Published unseen')
  const page = await pages.open(id)
  await page.route('**/api/stream*', route => route.abort())
  await page.reload()
  await bodyOf(page).fill('Half a sent')
  await pages.api.patch(`/articles/${id}`, { status: 'PUBLISHED' })
  await page.keyboard.press('Control+s')
  await page.getByText('Article not saved').waitFor()
  expect((await pages.article(id)).body).toBe('')
  await page.reload()
  await page.getByText('saving makes them public').waitFor()
  await page.getByRole('button', { name: 'Save and unpublish' }).click()
  await page.getByText('All changes saved').waitFor()
  expect(await pages.article(id)).toMatchObject({ body: 'Half a sent', status: 'DRAFT' })
})

test('asks where the article was a draft in between, and goes on to what was chosen', async () => {
  const id = await pages.newArticle('Back and forth')
  await pages.api.patch(`/articles/${id}`, { status: 'PUBLISHED' })
  const page = await pages.open(id)
  await bodyOf(page).fill('Half a sent')
  await pages.api.patch(`/articles/${id}`, { status: 'DRAFT' })
  await page.getByRole('button', { name: 'Save and publish' }).waitFor()
  await pages.api.patch(`/articles/${id}`, { status: 'PUBLISHED' })
  await page.getByText('saving makes them public').waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Save and write anew…' }).click()
  const question = page.getByRole('alertdialog', { name: 'Save to the published article?' })
  await question.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: /anew/ }).waitFor()
  expect((await pages.article(id)).body).toBe('Half a sent')
})
