import { describe, expect, test } from 'bun:test'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'

/** The pages of projects and keywords. */
const dashboard = await useDashboard()
const api = await dashboard.client()

const DAY_MS = 86_400_000

const newProject = async (name: string): Promise<string> =>
  (await api.post('/projects', { name, domain: 'blog.acme.com' })).body.data.id
const newKeyword = async (project: string, keyword: string): Promise<string> =>
  (await api.post(`/projects/${project}/keywords`, { keyword })).body.data.id

describe('projects', () => {
  test('creates, shows, changes and deletes a project, after describing what a deletion does', async () => {
    const page = await dashboard.open('/test/projects')
    await page.getByText('No test projects yet').waitFor()
    await look(page, 'projects-empty')
    await page.getByRole('button', { name: 'Create project' }).first().click()
    await page.getByLabel('Name').fill('Acme blog')
    await page.getByLabel('Domain').fill('https://acme.com')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const refused = page.getByRole('dialog').locator('[data-invalid]').first()
    await refused.waitFor()
    await page.getByText('Enter only the host name, such as blog.acme.com.').waitFor()
    expect(await page.getByLabel('Domain').inputValue()).toBe('https://acme.com')
    await look(page, 'projects-create-refused')
    await page.getByLabel('Domain').fill(' Blog.Café-Acme.com ')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'Acme blog' }).waitFor()
    await page.getByText('blog.café-acme.com').waitFor()
    await page.getByText('No keywords yet').waitFor()

    await page.getByRole('button', { name: 'Actions for Acme blog' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    expect(await page.getByLabel('Domain').inputValue()).toBe('blog.café-acme.com')
    await page.getByLabel('Name').fill('Acme’s  – magazine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Acme’s – magazine' }).waitFor()

    await page.getByRole('button', { name: 'Actions for Acme’s – magazine' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('0 articles (0 published), 0 keywords').waitFor()
    await question.getByLabel('To confirm, type Acme’s – magazine').fill('Acme')
    expect(await question.getByRole('button', { name: 'Delete permanently' }).isDisabled()).toBe(
      true,
    )
    await look(page, 'projects-delete')
    await question.getByLabel('To confirm, type Acme’s – magazine').fill("Acme's - magazine")
    await page.keyboard.press('Enter')
    await page.getByText('No test projects yet').waitFor()
    checkOffences(page)
  })

  test.each([
    ['es-ES', 'es', 'This is Spanish.'],
    ['pt-PT', 'pt-PT', 'This is European Portuguese.'],
    ['en-US@posix', 'en', 'This is English.'],
  ])(
    'a new one has the language of a browser in %s, until another is chosen',
    async (of, language, name) => {
      const page = await dashboard.open('/live/projects')
      await page.addInitScript(
        `Object.defineProperty(Navigator.prototype, 'language', { get: () => '${of}' })`,
      )
      await page.reload()
      await page.getByRole('button', { name: 'Create project' }).first().click()
      expect(await page.getByLabel('Language').inputValue()).toBe(language)
      await page.getByText(name).waitFor()
    },
  )

  test('a language and a time zone are accepted in any case', async () => {
    const id = await newProject('Cased')
    const page = await dashboard.open(`/live/projects/${id}`)
    await page.getByRole('button', { name: 'Actions for Cased' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByLabel('Language').fill('ee')
    await page.getByText('This is Ewe.').waitFor()
    await page.getByLabel('Language').fill(' DE-AT')
    await page.getByLabel('Time zone').fill('europe/vienna')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Every day, Europe/Vienna').waitFor()
    expect((await api.get(`/projects/${id}`)).body.data.language).toBe('de-AT')
    checkOffences(page)
  })

  test('an edit sends what was changed, and puts nothing back that changed elsewhere meanwhile', async () => {
    const id = await newProject('Shared')
    const page = await dashboard.open(`/live/projects/${id}`)
    await page.getByRole('button', { name: 'Actions for Shared' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByText('Defaults of its generations').click()
    await api.patch(`/projects/${id}`, {
      style_guide: 'Of another user',
      domain: 'acme.org',
      brief: { audience: 'of another user' },
    })
    await page.getByText('acme.org').first().waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Shared by two')
    await page.getByLabel('Tone').fill('dry')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Shared by two' }).waitFor()
    expect((await api.get(`/projects/${id}`)).body.data).toMatchObject({
      name: 'Shared by two',
      style_guide: 'Of another user',
      domain: 'acme.org',
      brief: { audience: 'of another user', tone: 'dry' },
    })
  })

  test('an edit warns before it replaces what another user changed meanwhile', async () => {
    const id = await newProject('Guided')
    const page = await dashboard.open(`/live/projects/${id}`)
    await page.getByRole('button', { name: 'Actions for Guided' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Style guide').fill('Mine')
    await dialog.getByText('Defaults of its generations').click()
    await dialog.getByLabel('Tone').fill('dry')
    await api.patch(`/projects/${id}`, { domain: 'acme.org', style_guide: 'Theirs' })
    await dialog.getByText('while you were editing: style guide. Saving replaces').waitFor()
    await api.patch(`/projects/${id}`, { brief: { tone: 'warm' } })
    await dialog.getByText('while you were editing: style guide, tone.').waitFor()
    // At the end of a dialog that is higher than the window, below the field that has the focus.
    const warning = await dialog.getByRole('status').boundingBox()
    const field = await dialog.getByLabel('Tone').boundingBox()
    expect(field?.y).toBeGreaterThan(0)
    expect(warning?.y).toBeGreaterThan((field?.y ?? 0) + (field?.height ?? 0))
    expect(warning?.y).toBeLessThan((page.viewportSize()?.height ?? 0) - (warning?.height ?? 0))
    await look(page, 'project-changed-meanwhile')
    await api.patch(`/projects/${id}`, { style_guide: 'Mine', brief: { tone: 'dry' } })
    await dialog.getByText('while you were editing').waitFor({ state: 'detached' })
    checkOffences(page)
  })

  test('an empty field of a generation shows the default of the project that it stands for', async () => {
    const id = await newProject('With defaults')
    await api.patch(`/projects/${id}`, { brief: { tone: 'dry', model: 'opus' } })
    await api.post(`/projects/${id}/keywords`, { keyword: 'espresso' })
    const page = await dashboard.open(`/live/projects/${id}`)
    await page.getByRole('link', { name: 'espresso' }).click()
    await page.getByRole('button', { name: 'Generate article' }).click()
    await page.getByPlaceholder('opus').waitFor()
    expect(await page.getByLabel('Tone').getAttribute('placeholder')).toBe('dry')
    expect(await page.getByLabel('Audience').getAttribute('placeholder')).toBe('')
    expect(await page.getByText('Empty for the project’s default.').count()).toBe(2)
    await look(page, 'generations-defaults')
  })

  test('adds, filters and deletes keywords', async () => {
    const id = await newProject('Coffee')
    const page = await dashboard.open(`/live/projects/${id}`)
    for (const keyword of ['cold brew', 'espresso']) {
      await page.getByRole('button', { name: 'Add keyword' }).first().click()
      await page.getByRole('textbox', { name: 'Keyword' }).fill(keyword)
      if (keyword === 'espresso') await page.getByLabel('Track rankings').uncheck()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('link', { name: keyword }).waitFor()
    }
    await look(page, 'project')
    await page.getByLabel('Tracking').selectOption('false')
    await page.getByRole('link', { name: 'cold brew' }).waitFor({ state: 'detached' })
    expect(page.url()).toEndWith('?tracked=false')

    // The same search a second time is refused by the server; what was typed stays.
    await page.getByRole('button', { name: 'Add keyword' }).click()
    await page.getByRole('textbox', { name: 'Keyword' }).fill('Espresso')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('textbox', { name: 'Keyword' }).inputValue()).toBe('Espresso')
    await page.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('link', { name: 'espresso' }).click()
    await page.getByRole('button', { name: 'Actions for espresso' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    expect(await page.getByRole('alertdialog').textContent()).toContain('Its articles are kept')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('link', { name: 'cold brew' }).waitFor()
    await page.getByRole('link', { name: 'espresso' }).waitFor({ state: 'detached' })
    checkOffences(page)
  })
})

describe('rankings', () => {
  test('shows the last and the best position, the chart and each check, and new ones automatically', async () => {
    const id = await newKeyword(await newProject('Ranked'), 'moka pot')
    const places = [40, 31, 34, 22, null, 18, 9, 4, 6]
    for (const [index, position] of places.entries())
      await api.post(`/keywords/${id}/rankings`, {
        position,
        url: position === null ? null : 'https://blog.acme.com/moka-pot',
        checked_at: new Date(Date.now() - (places.length - index) * 5 * DAY_MS).toISOString(),
      })
    const page = await dashboard.open(`/live/keywords/${id}`)
    const figure = (name: string) =>
      page.getByText(name, { exact: true }).locator('xpath=following-sibling::dd')
    await figure('Best').waitFor()
    expect(await figure('Last').textContent()).toMatch(/^6down 2|^6↓down 2/)
    expect(await figure('Best').textContent()).toMatch(/^4/)
    expect(await figure('Checks').textContent()).toBe('9')
    await page.locator('canvas').waitFor({ state: 'attached' })
    await look(page, 'keyword')
    await page.getByRole('button', { name: 'Table' }).click()
    const values = page.getByRole('region', { name: 'Position over time, as a table' })
    expect(await values.getByRole('row').count()).toBe(places.length + 1)
    await look(page, 'keyword-table')
    await page.getByRole('combobox', { name: 'Time' }).selectOption('30')
    await page.getByText('6', { exact: true }).first().waitFor()
    expect(page.url()).toEndWith('?span=30')

    await api.post(`/keywords/${id}/rankings`, { position: 1 })
    await page.getByText('up 5').waitFor()
    // The other mode has other keywords, which are listed with their projects.
    await page.getByRole('link', { name: 'Test', exact: true }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    checkOffences(page)
  })

  test('shows that a keyword has no rankings, or was never found', async () => {
    const project = await newProject('Unranked')
    const none = await newKeyword(project, 'never checked')
    const lost = await newKeyword(project, 'never found')
    await api.post(`/keywords/${lost}/rankings`, { position: null })
    const page = await dashboard.open(`/live/keywords/${none}`)
    await page.getByText('No rankings in this period').waitFor()
    await page.goto(`${dashboard.url}/dashboard/live/keywords/${lost}`)
    await page.getByText('Not found in this period').waitFor()
    await look(page, 'keyword-lost')
  })

  test('reduces many checks to the latest of each step, and includes the best', async () => {
    const id = await newKeyword(await newProject('Many'), 'many checks')
    await dashboard.sql`
      INSERT INTO rankings (id, keyword_id, position, checked_at)
      SELECT 'rnk_' || n, ${id}, CASE WHEN n = 777 THEN 3 ELSE 50 + n % 7 END,
        now() - make_interval(hours => 2000 - n)
      FROM generate_series(1, 2000) AS n`
    const page = await dashboard.open(`/live/keywords/${id}?span=all`)
    await page.getByText('2000', { exact: true }).waitFor()
    const response = (await page.evaluate(
      `fetch('/dashboard/api/keywords/${id}/ranking-history', { headers: { 'X-Arden-Mode': 'live' } }).then(response => response.json())`,
    )) as { data: { points: { checked_at: string }[]; best: { position: number } } }
    expect(response.data.points.length).toBe(200)
    expect(response.data.best.position).toBe(3)
    const times = response.data.points.map(point => point.checked_at)
    expect(times).toEqual([...times].sort())
  })
})

test('shows that a run of the rank tracking is due', async () => {
  const id = await newProject('Due')
  const page = await dashboard.open(`/live/projects/${id}`)
  await page.getByText('Next run').waitFor()
  expect(await page.getByText('is due').count()).toBe(0)
  await dashboard.sql`UPDATE projects SET rank_due_at = now() - interval '1 minute' WHERE id = ${id}`
  await page.reload()
  await page.getByText('is due').waitFor()
})

test('shows a viewer projects and keywords without buttons that change them', async () => {
  const project = await newProject('Looked at')
  const id = await newKeyword(project, 'looked at')
  await api.patch(`/projects/${project}`, {
    style_guide: 'Short sentences.',
    brief: { audience: 'home baristas', length: 1200, instructions: 'Name the temperatures.' },
  })
  const page = await dashboard.open(`/live/projects/${project}`, { role: 'viewer' })
  await page.getByRole('link', { name: 'looked at' }).waitFor()
  for (const text of ['Short sentences.', 'home baristas', '1,200', 'Name the temperatures.'])
    await page.getByText(text, { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /Add|Actions for Looked/ }).count()).toBe(0)
  await page.goto(`${dashboard.url}/dashboard/live/keywords/${id}`)
  await page.getByRole('heading', { name: 'looked at' }).waitFor()
  expect(await page.getByRole('button', { name: /Generate|Actions for looked/ }).count()).toBe(0)
})

test('shows an error with the request id for an unknown project', async () => {
  const page = await dashboard.open('/live/projects/prj_nothing')
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('Request')
})
