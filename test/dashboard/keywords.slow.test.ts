import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The list of a project's keywords: tags, filters, orders, import and generations of many. */

const dashboard = await useDashboard()
const api = await dashboard.client()

type New = {
  keyword: string
  country?: string
  tags?: string[]
  device?: string
  positions?: number[]
}

/** A project with keywords, each with the rankings of its `positions`, the latest last. */
const newProject = async (
  keywords: New[],
  project: { language?: string } = {},
): Promise<string> => {
  const { id } = (await api.post('/projects', { name: 'Coffee', ...project })).body.data
  for (const { positions = [], ...body } of keywords) {
    const keyword = (await api.post(`/projects/${id}/keywords`, body)).body.data
    for (const [n, position] of positions.entries()) {
      const checked_at = new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
      await api.post(`/keywords/${keyword.id}/rankings`, { position, checked_at })
    }
  }
  return id
}
const open = (project: string) => dashboard.open(`/live/projects/${project}`)

const shows = (page: Page, keywords: string[]) =>
  until(`the list shows ${keywords.join(', ')}`, async () => {
    const table = page.getByRole('table', { name: 'Keywords' })
    const names = await table.locator('a[href*="/keywords/"]').allTextContents()
    return names.join() === keywords.join()
  })

test('orders by position and change, and filters by tag, change and device', async () => {
  const page = await open(
    await newProject([
      { keyword: 'gained', tags: ['brewing', 'q3'], positions: [40, 5] },
      { keyword: 'lost', tags: ['brewing'], positions: [3, 30] },
      { keyword: 'same', device: 'mobile', positions: [9, 9] },
      { keyword: 'new' },
    ]),
  )
  await shows(page, ['new', 'same', 'lost', 'gained'])
  await page.getByText(/^up.*35$/).waitFor()
  await page.getByText(/^down.*27$/).waitFor()
  const order = page.getByLabel('Order')
  await order.selectOption({ label: 'Best position first' })
  await shows(page, ['gained', 'same', 'lost', 'new'])
  await order.selectOption({ label: 'Largest loss first' })
  await shows(page, ['lost', 'same', 'new', 'gained'])
  await page.getByLabel('Change').selectOption({ label: 'Improved' })
  await shows(page, ['gained'])
  await page.getByLabel('Change').selectOption({ label: 'Any change' })
  await page.getByLabel('Device').selectOption({ label: 'Mobile' })
  await shows(page, ['same'])
  await page.getByLabel('Device').selectOption({ label: 'Any device' })
  await page.getByRole('button', { name: 'brewing' }).first().click()
  await shows(page, ['lost', 'gained'])
  expect(page.url()).toContain('tag=brewing')
  await look(page, 'keywords-filtered')
  await page.getByRole('button', { name: 'Tag: brewing' }).click()
  await shows(page, ['lost', 'same', 'new', 'gained'])
})

test('suggests the country of the language of the project', async () => {
  const { id } = (await api.post('/projects', { name: 'Kaffee', language: 'de' })).body.data
  const page = await open(id)
  await page.getByRole('button', { name: 'Add keyword' }).first().click()
  expect(await page.getByLabel('Country').inputValue()).toBe('DE')
})

test('does not offer another country or device for a keyword with rankings', async () => {
  const page = await open(await newProject([{ keyword: 'ranked', positions: [3] }]))
  await page.getByRole('link', { name: 'ranked' }).click()
  await page.getByRole('button', { name: 'Actions for ranked' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Fixed, with the device, by its rankings.').waitFor()
  expect(await dialog.getByLabel('Country').isDisabled()).toBe(true)
  expect(await dialog.getByLabel('Device').isDisabled()).toBe(true)
  await look(page, 'keyword-edit-ranked')
  await dialog.getByLabel('Tags').fill('q3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('main').getByText('q3').waitFor()
  checkOffences(page)
})

test('gives a keyword a country and tags, and says what is wrong with one', async () => {
  const page = await open(await newProject([]))
  await page.getByRole('button', { name: 'Add keyword' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Keyword' }).fill('cold brew')
  await dialog.getByLabel('Tags').fill('brewing; q3')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('and no semicolon').waitFor()
  await dialog.getByLabel('Tags').fill(' brewing、 q3 ,q3，brewing')
  await dialog.getByLabel('Country').fill('xx')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('Must be a country code').waitFor()
  await dialog.getByLabel('Country').fill('de ')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'q3', exact: true }).waitFor()
  await shows(page, ['cold brew'])
  await page.getByRole('link', { name: 'cold brew' }).click()
  await page.getByRole('main').getByText('brewing').waitFor()
  await page.getByRole('main').getByText('DE', { exact: true }).waitFor()
  checkOffences(page)
})

test('adds several keywords at a time, also where a list is pasted into the field for one', async () => {
  const page = await open(await newProject([{ keyword: 'espresso' }]))
  await page.getByRole('button', { name: 'Add keyword' }).first().click()
  const dialog = page.getByRole('dialog')
  const pasted = `cold brew\r\n\r\n${'x'.repeat(201)}\nEspresso\n`
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`)
  await dialog.getByRole('textbox', { name: 'Keyword' }).press('Control+V')
  await dialog.getByRole('button', { name: 'Add 3' }).click()
  await dialog.getByText(`“${'x'.repeat(40)}…” must have`).waitFor()
  await look(page, 'keywords-several')
  // Of the columns of a spreadsheet, the first has the keywords. What is behind the cursor stays.
  const list = dialog.getByRole('textbox', { name: 'Keywords' })
  await list.fill('Espresso')
  await list.press('Home')
  const rows = 'cold brew\t1900\tx\n\tflat white\t880\n'
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(rows)})`)
  await list.press('Control+V')
  expect(await list.inputValue()).toBe('cold brew\nflat white\nEspresso')
  await dialog.getByLabel('Country').fill('de')
  await dialog.getByRole('button', { name: 'Add 3' }).click()
  await page.getByText('3 keywords added').waitFor()
  await shows(page, ['Espresso', 'flat white', 'cold brew', 'espresso'])
  checkOffences(page)
})

describe('the import', () => {
  const choose = (page: Page, content: string | Buffer) =>
    page.getByLabel('CSV file').setInputFiles({
      name: 'keywords.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(content),
    })

  test('forgets the chosen file when another is to be chosen: the browser reports no change to the same one', async () => {
    const page = await open(await newProject([]))
    await page.getByRole('button', { name: 'Import' }).click()
    await choose(page, 'keyword,country\ncold brew,XX\n')
    await page.getByText('Line 2, country').waitFor()
    const file = page.getByLabel('CSV file')
    expect(await file.inputValue()).not.toBe('')
    await Promise.all([page.waitForEvent('filechooser'), file.click()])
    expect(await file.inputValue()).toBe('')
  })

  test('shows what is wrong with each line, and imports the corrected file', async () => {
    const project = await newProject([{ keyword: 'espresso' }])
    const page = await open(project)
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    const send = dialog.getByRole('button', { name: /^Import/ })
    expect(await send.isDisabled()).toBe(true)
    await choose(page, 'keyword,country,device\ncold brew,XX,\n,US,\nlungo,DE,tablet\n')
    for (const place of ['Line 2, country', 'Line 3, keyword', 'Line 4, device'])
      await dialog.getByText(place).waitFor()
    expect(await send.isDisabled()).toBe(true)
    await look(page, 'keywords-import-errors')

    await choose(page, 'keyword,country,tags\ncold brew,US,brewing;q3\nEspresso,US,\n')
    await dialog.getByText('1 new keyword. 1 is in the project').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText('The file is not imported.').waitFor()
    await look(page, 'keywords-import-close')
    await dialog.getByRole('button', { name: 'Keep open' }).click()
    await dialog.getByRole('button', { name: 'Import 1' }).click()
    await page.getByText('Imported 1 keyword', { exact: true }).waitFor()
    await shows(page, ['cold brew', 'espresso'])
  })

  test('proposes the country of the project for lines without one, and checks the file again with another', async () => {
    const project = await newProject([{ keyword: 'abeto', country: 'MX' }], { language: 'es' })
    const page = await open(project)
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    await choose(page, 'keyword\nabeto\nacebo\n')
    await dialog.getByText('2 new keywords.').waitFor()
    const country = dialog.getByLabel('Country')
    expect(await country.inputValue()).toBe('ES')
    await country.fill('uk')
    await dialog.getByText('must be GB for the United Kingdom').waitFor()
    expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(
      true,
    )
    await country.fill('mx')
    await dialog.getByText('1 new keyword. 1 is in the project').waitFor()
    await look(page, 'keywords-import-country')
    await dialog.getByRole('button', { name: 'Import 1' }).click()
    await page.getByText('Imported 1 keyword', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'acebo' }).click()
    await page.getByRole('main').getByText('MX', { exact: true }).waitFor()
  })

  test('refuses a file that has no keywords, and says what to do', async () => {
    const page = await open(await newProject([]))
    await page.getByRole('button', { name: 'Import' }).click()
    await choose(page, 'term\ncold brew\n')
    await page.getByText(/Line 1/).waitFor()
    // As Excel saves a workbook: a ZIP file, here larger than a request.
    await choose(page, Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(2 ** 20)]))
    await page.getByText('This is an Excel workbook').waitFor()
    await look(page, 'keywords-import-workbook')
    expect(await page.getByText(/Line 1/).count()).toBe(0)
    await choose(page, '')
    await page.getByText('The file is empty').waitFor()
    checkOffences(page)
  })

  test('of a file without new keywords imports nothing, and closes without a question', async () => {
    const page = await open(await newProject([{ keyword: 'espresso' }]))
    await page.getByRole('button', { name: 'Import' }).click()
    await choose(page, 'keyword\nEspresso\nespresso\n')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No new keywords. 2 are in the project').waitFor()
    expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(
      true,
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
})

test('generates articles for the selected keywords, all with one brief', async () => {
  const project = await newProject([
    { keyword: 'cold brew' },
    { keyword: 'espresso' },
    { keyword: 'lungo' },
  ])
  const page = await open(project)
  await page.getByLabel('Select all 3 shown').check()
  await page.getByLabel('Select lungo').uncheck()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Generate 2 articles' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Audience').fill('home baristas')
  await dialog.getByLabel('Words').fill('50')
  await dialog.getByRole('checkbox', { name: 'Placeholders' }).check()
  await dialog.getByLabel('Wait for my approval of the outline').check()
  await look(page, 'keywords-generate')
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await dialog.getByText('Must be a whole number from 100 to 10000.').waitFor()
  await dialog.getByLabel('Words').fill('500')
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await page.getByText('Generating 2 articles').waitFor()
  await page.waitForURL(`**/live/generations?project=${project}`)
  const { data } = (await api.get(`/generations?project_id=${project}`)).body
  expect(data.map((one: { keyword: string }) => one.keyword).toSorted()).toEqual([
    'cold brew',
    'espresso',
  ])
  for (const one of data)
    expect(one).toMatchObject({
      audience: 'home baristas',
      length: 500,
      required_checks: ['placeholder'],
      review_outline: true,
    })
})

test('shows a viewer the keywords without what changes them', async () => {
  const project = await newProject([{ keyword: 'cold brew', tags: ['q3'] }])
  const page = await dashboard.open(`/live/projects/${project}`, { role: 'viewer' })
  await page.getByRole('button', { name: 'q3', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Download CSV' }).waitFor()
  expect(await page.getByRole('button', { name: /Import|Add keyword|Generate/ }).count()).toBe(0)
  expect(await page.getByRole('checkbox').count()).toBe(0)
})

test('downloads the keywords that the filters select, in their order', async () => {
  const project = await newProject([
    { keyword: 'aeropress', tags: ['q3'] },
    { keyword: 'moka pot', tags: ['q3'] },
    { keyword: 'french press', tags: ['q4'] },
  ])
  const page = await dashboard.open(`/live/projects/${project}?tag=q3&search=o`)
  await page.getByRole('link', { name: 'moka pot' }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const text = await Bun.file(await download.path()).text()
  expect(text).toContain('aeropress')
  expect(text).toContain('moka pot')
  expect(text).not.toContain('french press')
})
