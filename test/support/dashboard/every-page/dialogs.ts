import type { Page } from 'playwright-core'
import type { FullRecords } from './records'

/** Every dialog and menu: the page that has it, and how it is opened. */
type DialogRow = {
  name: string
  path: (records: FullRecords) => string
  open: (page: Page) => Promise<void>
}

const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click()

/** Chooses an item of a menu. */
const choose = async (page: Page, menu: string | RegExp, item: string) => {
  await press(page, menu)
  await page.getByRole('menuitem', { name: item }).press('Enter')
}

const LIST = (name: string) => () => `/live${name && `/${name}`}`
const KEY = 'Actions for Production'
const USER = 'Actions for grace@example.com'
const PASSKEY = 'Actions for Laptop'

/** Each leaves its dialog open. Nothing is deleted, revoked or disabled: the next rows need it. */
export const DIALOGS: readonly DialogRow[] = [
  {
    name: 'search',
    path: LIST(''),
    open: async page => {
      await page.keyboard.press('Control+k')
      await page.getByLabel('Search pages and records').fill('coffee')
      await page.getByRole('option').nth(3).waitFor()
    },
  },
  {
    name: 'drawer',
    path: LIST(''),
    open: async page => {
      await page.setViewportSize({ width: 390, height: 844 })
      await press(page, 'Pages')
    },
  },
  {
    name: 'person-menu',
    path: LIST(''),
    open: page =>
      page
        .getByRole('complementary')
        .getByRole('button', { name: /@example.com/ })
        .press('Enter'),
  },
  {
    name: 'test-event',
    path: ({ webhook }) => `/live/webhooks/${webhook}`,
    open: page => press(page, 'Choose the event type of the test'),
  },
  {
    name: 'key-create',
    path: LIST('keys'),
    open: page => press(page, 'Create API key'),
  },
  {
    name: 'key-value',
    path: LIST('keys'),
    open: async page => {
      await press(page, 'Create API key')
      await page.getByLabel('Name').fill('Shown once')
      await page.getByLabel('Name').press('Enter')
      await page.getByLabel('API key', { exact: true }).waitFor()
    },
  },
  { name: 'key-menu', path: LIST('keys'), open: page => press(page, KEY) },
  { name: 'key-edit', path: LIST('keys'), open: page => choose(page, KEY, 'Edit') },
  { name: 'key-regenerate', path: LIST('keys'), open: page => choose(page, KEY, 'Regenerate') },
  { name: 'key-revoke', path: LIST('keys'), open: page => choose(page, KEY, 'Revoke') },
  {
    name: 'webhook-create',
    path: LIST('webhooks'),
    open: page => press(page, 'Create webhook'),
  },
  {
    name: 'webhook-create-wrong',
    path: LIST('webhooks'),
    open: async page => {
      await press(page, 'Create webhook')
      await page.getByLabel('URL').fill('ftp://example.com')
      await press(page, 'Create')
      await page.getByText('Choose at least one event.').waitFor()
    },
  },
  {
    name: 'webhook-secret',
    path: LIST('webhooks'),
    open: async page => {
      await press(page, 'Create webhook')
      await page.getByLabel('URL').fill('http://127.0.0.1:9/unused')
      await page.getByLabel('article.deleted').press('Space')
      await press(page, 'Create')
      await page.getByRole('button', { name: 'I’ve saved it' }).waitFor()
    },
  },
  ...(['Edit', 'Rotate secret', 'Disable', 'Delete'] as const).map(
    (item): DialogRow => ({
      name: `webhook-${item.toLowerCase().replace(' ', '-')}`,
      path: ({ webhook }) => `/live/webhooks/${webhook}`,
      open: page => choose(page, 'More actions', item),
    }),
  ),
  {
    name: 'redeliver-failed',
    path: ({ webhook }) => `/live/webhooks/${webhook}`,
    open: page => press(page, 'Redeliver failed'),
  },
  {
    name: 'redeliver-selected',
    path: LIST('deliveries?status=FAILED'),
    open: async page => {
      await page.getByRole('checkbox').first().press('Space')
      await press(page, 'Redeliver')
    },
  },
  { name: 'project-create', path: LIST('projects'), open: page => press(page, 'Create project') },
  ...(['Edit', 'Delete'] as const).map(
    (item): DialogRow => ({
      name: `project-${item.toLowerCase()}`,
      path: ({ project }) => `/live/projects/${project}`,
      open: page => choose(page, /^Actions for Acme blog/, item),
    }),
  ),
  {
    name: 'keyword-add',
    path: ({ project }) => `/live/projects/${project}`,
    open: page => press(page, 'Add keyword'),
  },
  ...(['Edit', 'Delete'] as const).map(
    (item): DialogRow => ({
      name: `keyword-${item.toLowerCase()}`,
      path: ({ keyword }) => `/live/keywords/${keyword}`,
      open: page => choose(page, /^Actions for cold brew/, item),
    }),
  ),
  {
    name: 'keyword-import',
    path: ({ project }) => `/live/projects/${project}`,
    open: async page => {
      await press(page, 'Import')
      const buffer = Buffer.from('keyword,country\ncold brew,XX\n')
      const file = { name: 'keywords.csv', mimeType: 'text/csv', buffer }
      await page.getByLabel('CSV file').setInputFiles(file)
      await page.getByText('Line 2, country').waitFor()
    },
  },
  {
    name: 'keyword-generate',
    path: ({ project }) => `/live/projects/${project}`,
    open: async page => {
      await page.getByRole('checkbox', { name: /^Select all/ }).press('Space')
      await press(page, /^Generate \d+ article/)
    },
  },
  { name: 'article-create', path: LIST('articles'), open: page => press(page, 'Create article') },
  ...(['Publish', 'Delete', 'Export'] as const).map(
    (button): DialogRow => ({
      name: `articles-${button.toLowerCase()}`,
      path: LIST('articles'),
      open: async page => {
        await page.getByRole('checkbox').first().press('Space')
        await press(page, button)
      },
    }),
  ),
  {
    name: 'article-delete',
    path: ({ article }) => `/live/articles/${article}`,
    open: page => choose(page, 'More actions', 'Delete'),
  },
  {
    name: 'article-schedule',
    path: ({ draft }) => `/live/articles/${draft}`,
    open: page => choose(page, 'More actions', 'Schedule…'),
  },
  {
    name: 'article-write-anew',
    path: ({ draft }) => `/live/articles/${draft}`,
    open: page => choose(page, 'More actions', 'Write anew…'),
  },
  {
    name: 'article-discard',
    path: ({ article }) => `/live/articles/${article}`,
    open: async page => {
      await page.getByLabel('Title', { exact: true }).fill('Eleven ways to brew coffee')
      await press(page, 'Discard changes')
    },
  },
  {
    name: 'generation-start',
    path: LIST('generations'),
    open: page => press(page, 'Generate article'),
  },
  { name: 'user-invite', path: LIST('settings'), open: page => press(page, 'Invite') },
  {
    name: 'user-link',
    path: LIST('settings'),
    open: async page => {
      await press(page, 'Invite')
      await page.getByLabel('Email').fill('ivan@example.com')
      await page.getByLabel('Email').press('Enter')
      await page.getByRole('button', { name: 'I’ve saved it' }).waitFor()
    },
  },
  ...(['Change role', 'New invitation', 'Reset sign-in', 'Disable'] as const).map(
    (item): DialogRow => ({
      name: `user-${item.toLowerCase().replace(' ', '-')}`,
      path: LIST('settings'),
      open: page => choose(page, USER, item),
    }),
  ),
  {
    name: 'user-enable',
    path: LIST('settings'),
    open: page => choose(page, 'Actions for judy@example.com', 'Enable'),
  },
  {
    name: 'required-sign-in',
    path: LIST('settings'),
    open: page => press(page, 'Change required sign-in'),
  },
  { name: 'passkey-add', path: LIST('settings'), open: page => press(page, 'Add a passkey') },
  { name: 'passkey-menu', path: LIST('settings'), open: page => press(page, PASSKEY) },
  {
    name: 'passkey-rename',
    path: LIST('settings'),
    open: page => choose(page, PASSKEY, 'Rename'),
  },
  {
    name: 'passkey-remove',
    path: LIST('settings'),
    open: page => choose(page, PASSKEY, 'Remove'),
  },
  {
    name: 'link-revoke',
    path: LIST('settings'),
    open: async page => {
      const links = page.getByRole('table', { name: 'Pending links' })
      await links
        .getByRole('button', { name: /Revoke/ })
        .first()
        .click()
    },
  },
  {
    name: 'password-change',
    path: LIST('settings'),
    open: page => press(page, 'Change password'),
  },
  {
    name: 'sign-out-everywhere',
    path: LIST('settings'),
    open: page => press(page, 'Sign out everywhere'),
  },
]
