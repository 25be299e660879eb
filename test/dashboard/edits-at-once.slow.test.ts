import { expect, test } from 'bun:test'
import { useDashboard } from '../support/dashboard/dashboard'
import { person, sessionToken } from '../support/http/person'

/** Two users who save the same record before either has news of the other. */

const dashboard = await useDashboard()
const owner = person(dashboard.url, await sessionToken(dashboard))
const made = async (path: string, body: object): Promise<string> =>
  (await owner('POST', `/v1${path}`, body)).body.data.id

const project = await made('/projects', { name: 'Raced' })
const keyword = await made(`/projects/${project}/keywords`, { keyword: 'raced' })
const webhook = await made('/webhooks', { url: 'http://127.0.0.1:9/raced', events: ['*'] })
const key = await made('/api-keys', { name: 'Raced', scopes: ['read'], mode: 'live' })

test.each([
  ['Style guide', 'Actions for Raced', `/projects/${project}`, 'style_guide', 'Theirs', 'Mine'],
  ['Tags', 'Actions for raced', `/keywords/${keyword}`, 'tags', ['theirs'], 'mine'],
  ['Description', 'More actions', `/webhooks/${webhook}`, 'description', 'Theirs', 'Mine'],
  ['Requests per hour', 'Actions for Raced', `/api-keys/${key}`, 'rate_limit', 500, '700'],
])(
  'of two edits of %s at the same time the later one replaces nothing without a notice',
  async (label, menu, path, member, theirs, mine) => {
    const isOfList = path.startsWith('/api-keys')
    const page = await dashboard.open(isOfList ? '/live/keys' : `/live${path}`)
    await page.getByRole('button', { name: menu }).click()
    // The pages of one record have read it already.
    const read = isOfList && page.waitForResponse(response => response.url().endsWith(path))
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await read
    // No news arrives before it is saved.
    await page.context().setOffline(true)
    await owner('PATCH', `/v1${path}`, { [member]: theirs })
    await page.route('**/stream*', route => route.abort())
    await page.route('**/v1/**', route =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(label).fill(mine)
    await page.context().setOffline(false)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Nothing was saved now.').waitFor()
    const stored = async () => (await owner('GET', `/v1${path}`)).body.data[member]
    expect(await stored()).toEqual(theirs)
    await page.unrouteAll()
    await dialog.getByText('while you were editing').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect([await stored()].flat().map(String)).toEqual([mine])
  },
  120_000,
)
