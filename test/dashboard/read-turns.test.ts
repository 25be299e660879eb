import { expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { lockUntilReleased } from '../support/db/locks'
import { person, sessionToken } from '../support/http/person'
import { until } from '../support/until'

/** The dashboard's own reads take turns with the other reads of the account. */

const arden = await useArden({ serve: true })
const owner = person(arden.url, await sessionToken(arden))
const live = await arden.client()
const project = (await live.post('/projects', { name: 'Blog' })).body.data
const keyword = (await live.post(`/projects/${project.id}/keywords`, { keyword: 'coffee' })).body
  .data

const PATHS = [
  '/people',
  '/people/links',
  '/search?text=coffee',
  `/events/about/${newId('art')}`,
  '/overview/content',
  '/overview/first-steps',
]
for (const path of PATHS)
  test(`GET ${path.replace(/art_\w+/, '<id>')} waits for its turn among the reads of the account`, async () => {
    // A table that none of the paths reads.
    const release = await lockUntilReleased(arden.sql, tx => tx`LOCK TABLE rankings`)
    const reads = [1, 2, 3].map(() => owner('GET', `/v1/keywords/${keyword.id}/rankings`))
    await until('three wait', async () => {
      const waiting = await arden.sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return waiting.length === 3
    })
    let isFinished = false
    const read = owner('GET', path).finally(() => {
      isFinished = true
    })
    for (let n = 0; n < 10; n++) expect((await owner('GET', '/me')).status).toBe(200)
    expect(isFinished).toBe(false)
    await release()
    await Promise.all(reads)
    expect((await read).status).toBe(200)
  })
