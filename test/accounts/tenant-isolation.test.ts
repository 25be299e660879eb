import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { type Client, send } from '../support/client'
import { logEntryOf } from '../support/http/request-log'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** Contract 2.4: a record of another account or mode is a 404, the same as an unknown one. */

type Operation = { requestBody?: { content: { 'application/json': { example: object } } } }
type Route = {
  method: 'get' | 'post' | 'patch' | 'delete'
  path: string
  example: object | undefined
}
/** A record's id by the prefix of ids of its kind. */
type Ids = Record<
  'key' | 'wh' | 'evt' | 'dlv' | 'prj' | 'kw' | 'art' | 'gen' | 'rrn' | 'req',
  string
>

const BASE = '/api/public/v1'
const receiver = useReceiver()

const arden = await useArden({ serve: true, worker: true })
const { body } = await send(`${arden.url}/openapi.json`)
const routes = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody }]) => ({
    method: method as Route['method'],
    path: path.slice(BASE.length),
    example: requestBody?.content['application/json'].example,
  })),
)

/** One record of each kind. */
const createAll = async (as: Client): Promise<Ids> => {
  const make = async (path: string, body: object) => {
    const response = await as.post(path, body)
    expect([path, response.status < 300]).toEqual([path, true])
    return response.body.data.id as string
  }
  const wh = await make('/webhooks', { url: receiver.url, events: ['article.created'] })
  const prj = await make('/projects', { name: 'theirs' })
  const kw = await make(`/projects/${prj}/keywords`, { keyword: 'theirs' })
  const art = await make('/articles', { project_id: prj, title: 'theirs' })
  const gen = await make('/generations', { keyword_id: kw })
  await until(
    'the generation is done',
    async () => (await as.get(`/generations/${gen}`)).body.data.status === 'COMPLETED',
  )
  await until(
    'nothing is under way',
    async () => (await as.get(`/webhooks/${wh}/deliveries?status=RETRYING`)).body.data.length === 0,
  )
  const dlv = await until(
    'a delivery',
    async () => (await as.get(`/webhooks/${wh}/deliveries?status=DELIVERED`)).body.data[0]?.id,
  )
  return {
    key: await make('/api-keys', { name: 'theirs', scopes: ['read'] }),
    wh,
    evt: (await as.get('/events')).body.data[0].id,
    dlv,
    prj,
    kw,
    art,
    gen,
    rrn: await addRankRun(prj),
    req: (await logEntryOf(as, await as.get('/nothing'))).id,
  }
}

/** A scheduled run, which a test cannot request in test mode. */
const addRankRun = async (project: string): Promise<string> => {
  const id = newId('rrn')
  await arden.sql`
    INSERT INTO project_rank_runs (id, account_id, mode, project_id, origin, status)
    SELECT ${id}, account_id, mode, id, 'schedule', 'COMPLETED' FROM projects WHERE id = ${project}`
  return id
}

/** The kind of id in a path, by the segment before it. */
const KINDS: Record<string, keyof Ids> = {
  'api-keys': 'key',
  webhooks: 'wh',
  events: 'evt',
  deliveries: 'dlv',
  projects: 'prj',
  keywords: 'kw',
  articles: 'art',
  generations: 'gen',
  'rank-runs': 'rrn',
  requests: 'req',
}
const kindBefore = (segment: string): keyof Ids => {
  const kind = KINDS[segment]
  // A new kind of record belongs into this test.
  if (kind === undefined) throw new Error(`no record is made here for /${segment}/{id}`)
  return kind
}
const fill = (path: string, ids: Ids) =>
  // A number, which every article has.
  path
    .replace('{version}', '1')
    .replaceAll(/([\w-]+)\/\{\w+\}/g, (_, segment) => `${segment}/${ids[kindBefore(segment)]}`)

/** Everything the other has, as its own client reads it: it must stay as it is. */
const state = async (as: Client, ids: Ids) =>
  Promise.all(
    Object.entries(KINDS)
      .filter(([segment]) => segment !== 'deliveries')
      .map(async ([segment, kind]) => {
        const { status, body } = await as.get(`/${segment}/${ids[kind]}`)
        expect([segment, status]).toEqual([segment, 200])
        return body.data
      }),
  )

/** Calls every route with ids of `theirs`, and returns each response that is not a 404. */
const walk = async (as: Client, theirs: Ids, own: Ids, reachable: (kind: keyof Ids) => boolean) => {
  const wrong: string[] = []
  let walked = 0
  for (const { method, path, example } of routes.filter(route => route.path.includes('{'))) {
    const first = /([\w-]+)\/\{/.exec(path)?.[1] ?? ''
    if (reachable(kindBefore(first))) continue
    const paths = [fill(path, theirs)]
    // Under a record of one's own, too: /webhooks/<mine>/deliveries/<theirs>.
    if (path.split('{').length > 2 && !path.includes('{version}'))
      paths.push(fill(path, { ...theirs, [kindBefore(first)]: own[kindBefore(first)] }))
    for (const filled of paths) {
      walked++
      const body = example && withOwnIds(example, own)
      const response =
        method === 'get' || method === 'delete'
          ? await as[method](filled)
          : await as[method](filled, body)
      if (response.status !== 404 || response.body.error !== 'NOT_FOUND')
        wrong.push(`${method} ${filled}: ${response.status} ${JSON.stringify(response.body)}`)
    }
  }
  // Ids in bodies: a 422 that names the member.
  for (const { method, path, example } of routes)
    for (const member of Object.keys(example ?? {}).filter(name => name.endsWith('_id'))) {
      if (method === 'get' || method === 'delete') continue
      walked++
      const kind = member === 'project_id' ? 'prj' : 'kw'
      const body: Record<string, unknown> = { ...withOwnIds(example ?? {}, own) }
      if (member === 'project_id') delete body.keyword_id
      body[member] = theirs[kind]
      const response = await as[method](fill(path, own), body)
      if (response.status !== 422 || response.body.details[0].path !== member)
        wrong.push(
          `${method} ${path} ${member}: ${response.status} ${JSON.stringify(response.body)}`,
        )
    }
  // Lists, by a filter as well: an empty page or a 422, and nothing of theirs.
  for (const { path } of routes.filter(
    ({ method, path }) => method === 'get' && !path.includes('{'),
  ))
    for (const query of [
      '?limit=100',
      `?project_id=${theirs.prj}`,
      `?keyword_id=${theirs.kw}`,
      `?webhook_id=${theirs.wh}`,
    ]) {
      walked++
      const response = await as.get(`${path}${query}`)
      // The log of requests has those of this walk, whose paths and messages name records of the other.
      const text = JSON.stringify(response.body.data ?? [], (member, value) =>
        path === '/requests' && ['path', 'message'].includes(member) ? undefined : value,
      )
      for (const [kind, id] of Object.entries(theirs))
        if (!reachable(kind as keyof Ids) && text.includes(id))
          wrong.push(`get ${path}${query} shows ${id}`)
    }
  return { wrong, walked }
}

const withOwnIds = (example: object, own: Ids) => ({
  ...example,
  ...('url' in example && { url: receiver.url }),
  ...('project_id' in example && { project_id: own.prj }),
  ...('keyword_id' in example && { keyword_id: own.kw }),
})

describe('every route, from the OpenAPI document, responds 404 to the ids', () => {
  test.each(['live', 'test'] as const)(
    'of another account, mode %s',
    async mode => {
      const mine = await arden.client({ mode })
      const other = await arden.client({ mode, accountId: await arden.newAccount() })
      const theirs = await createAll(other)
      const before = await state(other, theirs)
      const { wrong, walked } = await walk(mine, theirs, await createAll(mine), () => false)
      expect(wrong).toEqual([])
      expect(walked).toBeGreaterThan(50)
      expect(await state(other, theirs)).toEqual(before)
    },
    60_000,
  )

  test.each([
    ['test', 'live'],
    ['live', 'test'],
  ] as const)(
    'of the other mode of the same account: a %s key, %s records',
    async (mode, otherMode) => {
      const mine = await arden.client({ mode })
      const other = await arden.client({ mode: otherMode })
      const theirs = await createAll(other)
      const before = await state(other, theirs)
      // A live key manages the keys of both modes (contract 3.3).
      const reachable = (kind: keyof Ids) => mode === 'live' && kind === 'key'
      const { wrong } = await walk(mine, theirs, await createAll(mine), reachable)
      expect(wrong).toEqual([])
      expect(await state(other, theirs)).toEqual(before)
    },
    60_000,
  )
})
