import { beforeEach } from 'bun:test'
import type { Caller, Tenant } from '../../../src/caller'
import { createKeyword } from '../../../src/content/keywords/store'
import { createProject } from '../../../src/content/projects/store'
import { createSerpProvider } from '../../../src/content/rankings/serp/selection'
import { trackBatch } from '../../../src/content/rankings/tracking'
import { createCaller } from '../caller'
import { useDatabase } from '../database'
import { useReceiver } from '../receiver'
import { limiterDeps } from './limiter-deps'

type Options = Partial<Parameters<typeof trackBatch>[1]> & { signal?: AbortSignal }

const RUN = '2026-01-02T04:00:00.000Z'

/** Batches of the rank tracking, each test with no other keywords, and with a SERP provider. */
export const useRankTracking = async () => {
  const { sql } = await useDatabase()
  const provider = useReceiver(one => given.respond(JSON.parse(one.body)))
  const given = {
    /** How the SERP provider responds. */
    respond: (_: { keyword: string }): Response | Promise<Response> =>
      Response.json({ position: 1 }),
    /** A new caller for each test, because a batch includes the keywords of all accounts. */
    caller: await createCaller(sql),
  }
  /** The tenants of the commits. */
  const commits: Tenant[] = []
  beforeEach(async () => {
    for (const table of ['rankings', 'keywords', 'projects', 'events'])
      await sql`DELETE FROM ${sql(table)}`
    provider.received.length = 0
    commits.length = 0
    given.respond = () => Response.json({ position: 1 })
    given.caller = await createCaller(sql)
  })

  return {
    sql,
    given,
    commits,
    requests: provider.received,
    add: async (words: string[], options: { as?: Caller; domain?: string | null } = {}) => {
      const { as = given.caller, domain = 'blog.acme.com' } = options
      return await sql.begin(async tx => {
        const project = await createProject(tx, as, { name: 'p', domain, language: 'de' })
        const ids: string[] = []
        for (const keyword of words) {
          const input = { keyword, country: 'DE', device: 'mobile' } as const
          ids.push((await createKeyword(tx, as, project.id, input)).id)
        }
        return ids
      })
    },
    track: (options: Options & { url?: string } = {}) => {
      const { run = RUN, after = null, attempt = 1, url = `${provider.url}/serp?t=token` } = options
      const { signal = AbortSignal.any([]), until, searches } = options
      const config = {
        provider: 'http',
        url,
        apiKey: 'secret',
        priceUsd: null,
        depth: 100,
      } as const
      const serp = createSerpProvider({ serp: config, serpInFlight: 16 }, limiterDeps)
      if (serp === undefined) throw new Error('no SERP provider')
      const batch = {
        run,
        after,
        attempt,
        ...(until !== undefined && { until }),
        ...(searches !== undefined && { searches }),
      }
      const committed = (tenant: Tenant) => void commits.push(tenant)
      return trackBatch({ sql, provider: serp, committed }, batch, signal)
    },
    /** The keywords that were searched. */
    searched: () => provider.received.map(one => JSON.parse(one.body).keyword).sort(),
    rankings: () => sql`
      SELECT k.keyword, r.position, r.url, r.checked_at FROM rankings r
      JOIN keywords k ON k.id = r.keyword_id ORDER BY k.keyword, r.id`,
  }
}

/** Keywords in the order of their names. */
export const words = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `k${String(n).padStart(3, '0')}`)
