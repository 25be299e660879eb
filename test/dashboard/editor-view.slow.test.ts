import { expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { bodyOf, previewOf, useArticlePages } from '../support/dashboard/articles'
import { until } from '../support/until'

/** What the editor shows while a user types. */

const pages = await useArticlePages()

test.each(['Title', 'Body (Markdown)'])(
  'Ctrl+Z takes back what was typed in %s, and not each character',
  async label => {
    const page = await pages.open(await pages.newArticle('Kept', 'Kept'))
    const field = page.getByLabel(label, { exact: true })
    await field.click()
    await page.keyboard.press('End')
    await page.keyboard.type(' and a sentence')
    expect(await field.inputValue()).toBe('Kept and a sentence')
    // A change elsewhere on the page, such as "Unsaved changes", may end a step: a few, not one for each character.
    let steps = 0
    for (; (await field.inputValue()) !== 'Kept' && steps < 15; steps++)
      await page.keyboard.press('Control+z')
    expect(steps).toBeLessThan(6)
  },
)

test.each(['Title', 'Body (Markdown)'])(
  'a save leaves the cursor in %s where it is, and what was typed can be undone',
  async label => {
    const id = await pages.newArticle('Kept here', 'Kept here')
    const page = await pages.open(id)
    const field = page.getByLabel(label, { exact: true })
    const save = async () => {
      // It is read again after it, as all lists of articles are.
      const read = page.waitForResponse(
        response =>
          response.request().method() === 'GET' && response.url().endsWith(`/articles/${id}`),
      )
      await page.keyboard.press('Control+s')
      await read
      await page.getByText('All changes saved').waitFor()
    }
    await field.click()
    await page.keyboard.press('Home')
    await page.keyboard.type('Ben ')
    await save()
    await page.keyboard.type('was ')
    expect(await field.inputValue()).toBe('Ben was Kept here')
    await save()
    for (let n = 0; n < 10 && (await field.inputValue()) !== 'Kept here'; n++)
      await page.keyboard.press('Control+z')
    expect(await field.inputValue()).toBe('Kept here')
  },
)

test('the cursor stays in its sentence when another user saves the text', async () => {
  // With the line breaks of Windows, which a browser changes.
  const id = await pages.newArticle('Shared', 'First.\r\n\r\nSecond.\r\n\r\nThird.')
  const page = await pages.open(id)
  await bodyOf(page).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  await pages.api.patch(`/articles/${id}`, {
    body: 'The very first.\r\n\r\nSecond.\r\n\r\nThird.',
  })
  await until('the page has it', async () => (await bodyOf(page).inputValue()).startsWith('The'))
  await page.keyboard.type(' Here.')
  expect(await bodyOf(page).inputValue()).toBe('The very first.\n\nSecond. Here.\n\nThird.')
})

test('Ctrl+Z after another user saved the text puts nothing into it', async () => {
  const id = await pages.newArticle('Baked', 'Cream the butter.')
  const page = await pages.open(id)
  await bodyOf(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(`Cream the soft butter.${'\nStir.'.repeat(60)}`)
  await page.keyboard.press('Control+s')
  await page.getByText('All changes saved').waitFor()
  await bodyOf(page).evaluate(body => body.scrollTo(0, 300))
  const text = `Heat the oven. ${await bodyOf(page).inputValue()}`
  await pages.api.patch(`/articles/${id}`, { body: text })
  await until('the page has it', async () => (await bodyOf(page).inputValue()) === text)
  await page.keyboard.press('Control+z')
  expect(await bodyOf(page).inputValue()).toBe(text)
  expect(await bodyOf(page).evaluate(body => [body.matches(':focus'), body.scrollTop])).toEqual([
    true,
    300,
  ])
  await page.keyboard.type(' Serve.')
  expect(await bodyOf(page).inputValue()).toBe(`${text} Serve.`)
  await page.keyboard.press('Control+z')
  expect(text).toStartWith((await bodyOf(page).inputValue()).slice(0, text.length))
})

test('text that was typed and taken back is unchanged, also with line breaks of Windows', async () => {
  const id = await pages.newArticle('Breaks', 'One\r\nTwo')
  const page = await pages.open(id)
  const saved = page.getByText('All changes saved')
  await bodyOf(page).click()
  await page.keyboard.type('Q')
  await page.getByText('Unsaved changes', { exact: true }).waitFor()
  await page.keyboard.press('Backspace')
  await saved.waitFor()
  await pages.api.patch(`/articles/${id}`, { body: 'Theirs\r\nTwo' })
  await until('the page has it', async () => (await bodyOf(page).inputValue()) === 'Theirs\nTwo')
  // A save of another field leaves them.
  await page.getByLabel('Title', { exact: true }).fill('Other')
  await page.keyboard.press('Control+s')
  await saved.waitFor()
  expect(await pages.article(id)).toMatchObject({ title: 'Other', body: 'Theirs\r\nTwo' })
})

test('Ctrl+S saves after a reload as well, when no field has the focus', async () => {
  const id = await pages.newArticle('Kept', 'Kept')
  const page = await pages.open(id)
  await bodyOf(page).fill('Changed')
  page.once('dialog', dialog => dialog.accept())
  await page.reload()
  await page.getByText('were restored').waitFor()
  await page.evaluate('document.activeElement.blur()')
  // As with Caps Lock.
  await page.keyboard.press('Control+S')
  await page.getByText('All changes saved').waitFor()
  expect((await pages.article(id)).body).toBe('Changed')
})

test('the page stays where it is when the preview or an older version is chosen', async () => {
  const id = await pages.newArticle('Long', 'First\n\n'.repeat(300))
  await pages.api.patch(`/articles/${id}`, { body: 'Second\n\n'.repeat(300) })
  const page = await pages.open(id)
  await page.setViewportSize({ width: 390, height: 700 })
  const scrolled = async () => Number(await page.evaluate('Math.round(scrollY)'))
  await page.getByRole('button', { name: 'Preview' }).scrollIntoViewIfNeeded()
  await page.evaluate('scrollBy(0, 200)')
  const before = await scrolled()
  expect(before).toBeGreaterThan(200)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.waitForURL('**/*view=preview*')
  await previewOf(page).waitFor()
  expect(await scrolled()).toBe(before)

  await page.goto(page.url().replace(/\?.*/, '/history'))
  await page.getByRole('link', { name: 'Version 1' }).waitFor()
  await page.evaluate('scrollTo(0, 60)')
  await page.getByRole('link', { name: 'Version 1' }).click()
  await page.getByRole('heading', { name: 'Version 1' }).waitFor()
  await page.getByText('First').first().waitFor()
  expect(await scrolled()).toBe(60)
})

test('a wide table of the preview does not widen the page of a phone', async () => {
  const row = `|${' Espressomaschine |'.repeat(8)}`
  const page = await pages.open(
    await pages.newArticle('Machines', `${row}\n|${' - |'.repeat(8)}\n${row}`),
  )
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Preview' }).click()
  await previewOf(page).getByRole('table').waitFor()
  const widths = '[document.documentElement.scrollWidth, innerWidth]'
  expect(await page.evaluate<number[]>(widths)).toEqual([390, 390])
  expect(await previewOf(page).evaluate(one => one.scrollWidth > one.clientWidth)).toBe(true)
})

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

test('Hebrew is written and previewed from right to left, and English beside it from left to right', async () => {
  const body = 'Arden: מדריך לקפה.\n\n- פולים\n\n> ציטוט\n\nIn English.'
  const page = await pages.open(await pages.newArticle('מדריך לקפה', body))
  for (const [text, direction] of [
    ['פולים', 'rtl'],
    ['ציטוט', 'rtl'],
    ['In English.', 'ltr'],
  ] as const)
    expect([text, await directionOf(previewOf(page).getByText(text))]).toEqual([text, direction])
  for (const [label, direction] of [
    ['Title', 'rtl'],
    ['Slug', 'rtl'],
    ['Meta title', 'ltr'],
  ] as const)
    expect([label, await directionOf(page.getByLabel(label, { exact: true }))]).toEqual([
      label,
      direction,
    ])
})

test('the text and its preview are in the language of the project, for screen readers and spell checkers', async () => {
  await pages.api.patch(`/projects/${pages.project}`, { language: 'fr-BE' })
  const id = await pages.newArticle('Musée', 'Un texte.')
  const page = await pages.open(id)
  await previewOf(page).locator('[lang="fr-BE"]').getByText('Un texte.').waitFor()
  for (const label of ['Title', 'Meta title', 'Meta description', 'Body (Markdown)'])
    expect([label, await page.getByLabel(label, { exact: true }).getAttribute('lang')]).toEqual([
      label,
      'fr-BE',
    ])
  const asViewer = await pages.open(id, 'viewer')
  await asViewer.locator('[lang="fr-BE"]').getByText('Un texte.').waitFor()
})

const directionOf = (text: Locator) =>
  text.evaluate(
    element => element.ownerDocument.defaultView?.getComputedStyle(element).direction ?? '',
  )
