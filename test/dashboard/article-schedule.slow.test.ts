import { expect, test } from 'bun:test'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'
import { checkOffences, look } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The publication of a draft at a time. */

const pages = await useArticlePages()

test('schedules a draft with its unsaved text, says a time in the past is refused, and cancels', async () => {
  const id = await pages.newArticle('Cold brew')
  const page = await pages.open(id)
  await bodyOf(page).fill('Wait a day.')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Schedule…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Publish at').fill('2020-01-31T12:00')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await dialog.getByText(/is in the past/i).waitFor()
  // The page behind the dialog does not repeat it.
  expect(await page.getByText(/in the past/i).count()).toBe(1)
  await dialog.getByLabel('Publish at').fill('2031-01-31T12:00')
  const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone)
  await dialog.getByText(`in your time zone ${zone}`).waitFor()
  await look(page, 'article-schedule')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('Scheduled', { exact: true }).waitFor()
  const local = await page.evaluate(() => new Date('2031-01-31T12:00').toISOString())
  expect(await pages.article(id)).toMatchObject({ scheduled_at: local, body: 'Wait a day.' })
  await page.getByText(/Publication/).waitFor()

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Cancel the schedule' }).click()
  await until('it is cancelled', async () => {
    const { scheduled_at } = (await pages.api.get(`/articles/${id}`)).body.data
    return scheduled_at === null
  })
  checkOffences(page)
})

test('counts the days until a publication by the calendar', async () => {
  const id = await pages.newArticle('Lungo')
  await pages.api.patch(`/articles/${id}`, { scheduled_at: new Date('2031-01-31T09:00:00') })
  const page = await pages.open(id)
  // Without a zone: in that of the browser.
  const showsAt = async (now: string, text: RegExp) => {
    await page.clock.setFixedTime(now)
    await page.reload()
    await page.getByText(text).waitFor()
  }
  await showsAt('2031-01-30T08:00:00', /Publication due tomorrow/)
  await showsAt('2031-01-29T23:59:00', /Publication due in 2 ?d/)
})

test('shows in the dialog what is wrong with the unsaved text, and afterwards no error of the dialog', async () => {
  const id = await pages.newArticle('Espresso')
  const page = await pages.open(id)
  const openDialog = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Schedule…' }).click()
  }
  await page.getByLabel('Slug').fill('Not a slug')
  await openDialog()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Publish at').fill('2031-01-31T12:00')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await dialog.getByRole('alert').getByText(/^slug/i).waitFor()
  await look(page, 'article-schedule-refused')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByLabel('Slug').fill('espresso-at-home')
  await openDialog()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await dialog.getByLabel('Publish at').fill('2031-01-31T12:00')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('Scheduled', { exact: true }).waitFor()
  // Without the date in front of it, which a relative time of years would be.
  await page.getByText(/^Publication due Jan 31, 2031, 12:00:00 [^(]*$/).waitFor()
  checkOffences(page)
})
