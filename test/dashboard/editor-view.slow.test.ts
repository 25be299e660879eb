import { expect, test } from 'bun:test'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'
import { until } from '../support/until'

/** What the editor shows while a user types. */

const pages = await useArticlePages()

test.each([
  [1440, 900],
  [390, 844],
])('the line that is typed is not behind the buttons at %d x %d', async (width, height) => {
  const page = await pages.open(await pages.newArticle('Long'))
  await page.setViewportSize({ width, height })
  await bodyOf(page).click()
  for (let line = 0; line < 40; line++) {
    await page.keyboard.type(`Line ${line}`)
    await page.keyboard.press('Enter')
  }
  expect((await bodyOf(page).inputValue()).split('\n').length).toBe(41)
  const bar = page.getByRole('button', { name: 'Save', exact: true }).locator('..')
  // The last line is above the padding of the field.
  const padding = 12
  await until('the last line is above the bar', async () => {
    const [field, buttons] = [await bodyOf(page).boundingBox(), await bar.boundingBox()]
    return field !== null && buttons !== null && field.y + field.height - padding <= buttons.y
  })
})
