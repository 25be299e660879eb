import { newId } from '../../../../src/ids'
import { createLink } from '../../../../src/people/sign-in-links'
import { ensurePerson, invitePerson } from '../../../../src/people/store'
import { type Client, client } from '../../client'
import { logEntryOf } from '../../http/request-log'
import { until } from '../../until'
import { addDeliveries } from '../../webhooks/deliveries'
import type { Dashboard } from '../dashboard'

/** Ids of the records whose pages are shown, and the mode of the lists. */
export type Records = {
  accountId: string
  /** The owner whose session shows them. */
  email: string
  /** Of pages with lists. The pages of records are in live mode. */
  lists: 'live' | 'test'
  project: string
  keyword: string
  article: string
  generation: string
  webhook: string
  delivery: string
  event: string
  request: string
}

/** Also a draft, and the tokens of sign-in links. */
export type FullRecords = Records & { draft: string; invitation: string; reset: string }

/** Where deliveries succeed and fail. */
type Receivers = { good: string; broken: string }

const TESTS = { type: 'cli', id: 'tests', name: 'tests' } as const
const HOUR_MS = 3_600_000
const BODY = `# Ten ways to brew coffee

Grind the beans **just before** you brew, and weigh them. See [the guide](https://blog.acme.com/guide).

| Method | Grind | Time |
| --- | --- | --- |
| Cold brew | coarse | 14 h |
| Espresso | fine | 27 s |

1. Rinse the filter.
2. Pour slowly.

> Water at 93 °C tastes best.

\`\`\`sh
arden listen --forward-to localhost:4000/hook
\`\`\`
`

/** An account as it is after some weeks. It takes about 35 s, because of the retry delays. */
export const fullRecords = async (dashboard: Dashboard, to: Receivers): Promise<FullRecords> => {
  const { accountId } = dashboard
  const email = 'ada@example.com'
  const api = await dashboard.client()
  const make = maker(api)
  const broken = await make('/webhooks', {
    url: `${to.broken}/hooks/crm`,
    events: ['article.created', 'article.published'],
    description: 'Customer database',
  })
  await make('/webhooks', {
    url: `${to.good}/hooks/arden`,
    events: ['*'],
    description: 'Publishes to the blog',
    ordered: true,
  })
  const paused = await make('/webhooks', { url: `${to.good}/stats`, events: ['keyword.ranked'] })
  await api.post(`/webhooks/${paused}/pause`)
  const disabled = await make('/webhooks', { url: `${to.good}/old`, events: ['article.deleted'] })
  await api.patch(`/webhooks/${disabled}`, { enabled: false })

  const project = await make('/projects', { name: 'Acme blog', domain: 'blog.acme.com' })
  await make('/projects', { name: 'Acme Deutschland', domain: 'acme.de', language: 'de' })
  const words = ['cold brew coffee', 'espresso grind size', 'pour over kettle', 'aeropress recipe']
  const keywords: string[] = []
  for (const [index, keyword] of words.entries())
    keywords.push(await make(`/projects/${project}/keywords`, { keyword, tracked: index !== 3 }))
  const [keyword = ''] = keywords
  await api.patch(`/keywords/${keyword}`, { tags: ['guides', 'summer'] })
  for (let day = 60; day > 0; day -= 3)
    await make(`/keywords/${keyword}/rankings`, {
      position: day % 21 === 0 ? null : 4 + ((day * 7) % 19),
      url: 'https://blog.acme.com/cold-brew',
      checked_at: new Date(Date.now() - day * 24 * HOUR_MS).toISOString(),
    })
  const article = await make('/articles', {
    project_id: project,
    keyword_id: keyword,
    title: 'Ten ways to brew coffee',
    body: BODY,
    status: 'PUBLISHED',
  })
  const addDraft = (title: string) => make('/articles', { project_id: project, title, body: BODY })
  const draft = await addDraft('Cold brew at home')
  for (const title of ['How fine is fine?', 'Kettles compared']) await addDraft(title)
  const generation = await make('/generations', {
    keyword_id: keyword,
    instructions: 'For beginners. Mention the temperature of the water.',
  })
  await make('/generations', { keyword_id: keywords[1] ?? '' })
  for (const name of ['Production', 'Staging', 'Reports'])
    await make('/api-keys', { name, scopes: name === 'Reports' ? ['read'] : ['read', 'write'] })
  const reset = await addPeople(dashboard, email)
  const { token: invitation } = await invite(dashboard, accountId, 'heidi@example.com', 'member')
  await invite(dashboard, accountId, undefined, 'viewer')
  await addHistory(dashboard, broken)
  await api.patch(`/articles/${article}`, { titel: 'Ten ways to brew tea' })
  await api.get('/article')
  const request = await logEntryOf(
    api,
    await api.delete('/articles/art_01kafz3v5tf4qrm8z3x9d2c7ne'),
  )
  const { delivery, event } = await until(
    'a delivery has failed',
    async () => {
      const { data } = (await api.get(`/webhooks/${broken}/deliveries?status=FAILED`)).body
      // Those of the history have no request.
      const found = data.find(({ http_status }: { http_status: number | null }) => http_status)
      return found !== undefined && { delivery: found.id, event: found.event_id }
    },
    120,
  )
  return {
    accountId,
    email,
    lists: 'live',
    project,
    keyword,
    article,
    generation,
    webhook: broken,
    delivery,
    event,
    request: request.id,
    draft,
    invitation,
    reset,
  }
}

/** An owner with a passkey, a member and a disabled one. Returns the token of the owner's link for a new password. */
const addPeople = ({ sql, accountId }: Dashboard, email: string): Promise<string> =>
  sql.begin(async tx => {
    const owner = await ensurePerson(tx, accountId, email, 'owner')
    await tx`
      INSERT INTO passkeys (id, person_id, name, credential_id, public_key, counter, transports, last_used_at)
      VALUES (${newId('psk')}, ${owner}, 'Laptop', 'laptop', '', 0, '{internal}', now())`
    await ensurePerson(tx, accountId, 'grace@example.com', 'member')
    const disabled = await ensurePerson(tx, accountId, 'judy@example.com', 'member')
    await tx`UPDATE people SET disabled_at = now() WHERE id = ${disabled}`
    return (await createLink(tx, { accountId, actor: TESTS }, { personId: owner }, 'reset', 1))
      .token
  })

/** Deliveries and requests of the last day, for the charts. */
const addHistory = async (dashboard: Dashboard, webhookId: string) => {
  const { sql, accountId } = dashboard
  for (let hour = 1; hour < 24; hour++) {
    const at = new Date(Date.now() - hour * HOUR_MS)
    const count = 8 + ((hour * 13) % 17)
    await addDeliveries(dashboard, { status: 'DELIVERED', at, count, webhookId })
    if (hour % 7 === 0)
      await addDeliveries(dashboard, { status: 'FAILED', at, count: 2, webhookId })
  }
  await sql`
    INSERT INTO request_hours (account_id, mode, hour, accepted, refused)
    SELECT ${accountId}, 'live', date_trunc('hour', now()) - make_interval(hours => n),
      200 + (n * 37) % 160, CASE WHEN n BETWEEN 6 AND 8 THEN 40 ELSE 0 END
    FROM generate_series(1, 23) AS n`
}

/** Longer than any screen is wide, with and without spaces. */
const WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'
const SPACED = `The quarterly ${WORD} report for all regions, products and languages`
const UNBROKEN = 'a-name-without-a-space-'.repeat(4)

/** An account whose names are as long as they may be. */
export const longRecords = async (dashboard: Dashboard, to: Receivers): Promise<Records> => {
  const { accountId, api, make } = await anotherAccount(dashboard)
  const email = `${'c'.repeat(60)}@${'d'.repeat(60)}.example.com`
  const url = `${to.good}/${UNBROKEN.repeat(8)}?${UNBROKEN}`
  const events = ['*']
  const webhook = await make('/webhooks', { url, events, description: SPACED.repeat(4) })
  const project = await make('/projects', {
    name: UNBROKEN.slice(0, 100),
    domain: `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`,
  })
  await make('/projects', { name: SPACED.slice(0, 100) })
  const keyword = await make(`/projects/${project}/keywords`, {
    keyword: UNBROKEN.repeat(3).slice(0, 200),
    tags: [UNBROKEN.slice(0, 40), SPACED.slice(0, 40)],
  })
  await make(`/projects/${project}/keywords`, { keyword: SPACED.repeat(3).slice(0, 200) })
  await make(`/keywords/${keyword}/rankings`, {
    position: 100,
    url: `https://example.com/${UNBROKEN.repeat(5)}`,
  })
  const title = SPACED.repeat(4).slice(0, 300)
  const article = await make('/articles', {
    project_id: project,
    keyword_id: keyword,
    title,
    slug: UNBROKEN.repeat(3).slice(0, -1),
    meta_title: UNBROKEN.repeat(3).slice(0, 300),
    meta_description: UNBROKEN.repeat(10).slice(0, 1000),
    body: `# ${title}\n\n${UNBROKEN.repeat(20)}\n\n| ${UNBROKEN} | ${UNBROKEN} |\n| --- | --- |\n| a | b |`,
  })
  await make('/articles', { project_id: project, title: UNBROKEN.repeat(3) })
  const generation = await make('/generations', {
    keyword_id: keyword,
    instructions: `${SPACED.repeat(10)}\n${UNBROKEN.repeat(6)}`,
  })
  await make('/api-keys', { name: SPACED.slice(0, 100), scopes: ['read', 'write'] })
  await make('/api-keys', { name: UNBROKEN.slice(0, 100), scopes: ['read'] })
  await invite(dashboard, accountId, `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`, 'member')
  const { id: delivery, event_id: event } = (await api.post(`/webhooks/${webhook}/test`)).body.data
  await until('the test is delivered', async () => {
    const { status } = (await api.get(`/webhooks/${webhook}/deliveries/${delivery}`)).body.data
    return status === 'DELIVERED'
  })
  const request = await logEntryOf(api, await api.get(`/${UNBROKEN.repeat(4)}`))
  return {
    accountId,
    email,
    lists: 'live',
    project,
    keyword,
    article,
    generation,
    webhook,
    delivery,
    event,
    request: request.id,
  }
}

/** A new account: its lists are empty, and the records of its pages have nothing yet. */
export const emptyRecords = async (dashboard: Dashboard, to: Receivers): Promise<Records> => {
  const { accountId, api, make } = await anotherAccount(dashboard)
  const email = 'new@example.com'
  const webhook = await make('/webhooks', { url: `${to.good}/new`, events: ['article.deleted'] })
  await api.post(`/webhooks/${webhook}/pause`)
  const project = await make('/projects', { name: 'New' })
  const kept = await make('/projects', { name: 'Other' })
  const keyword = await make(`/projects/${kept}/keywords`, { keyword: 'espresso' })
  const article = await make('/articles', { project_id: kept, title: 'Untitled' })
  const generation = await make('/generations', { keyword_id: keyword })
  const { id: delivery, event_id: event } = (await api.post(`/webhooks/${webhook}/test`)).body.data
  const request = await logEntryOf(api, await api.get('/nothing'))
  return {
    accountId,
    email,
    lists: 'test',
    project,
    keyword,
    article,
    generation,
    webhook,
    delivery,
    event,
    request: request.id,
  }
}

const anotherAccount = async (dashboard: Dashboard) => {
  const accountId = await dashboard.newAccount()
  const api = client(dashboard.url, (await dashboard.key({ accountId })).key)
  return { accountId, api, make: maker(api) }
}

const maker =
  (api: Client) =>
  async (path: string, body: object): Promise<string> => {
    const response = await api.post(path, body)
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
    return response.body.data.id
  }

const invite = (
  { sql }: Dashboard,
  accountId: string,
  email: string | undefined,
  role: 'member' | 'viewer',
) =>
  sql.begin(tx =>
    invitePerson(
      tx,
      { accountId, actor: TESTS, address: null },
      { ...(email !== undefined && { email }), role },
    ),
  )
