import { expect, test } from 'bun:test'
import { LOCK_TIMEOUT_MS } from '../../src/db/connect'
import { useContent } from '../support/content/content'
import { lockUntilReleased } from '../support/db/locks'

const { arden, live, newProject } = await useContent()

test('an article waits for a locked table no longer than for a lock, and was not created', async () => {
  const { id } = await newProject()
  const release = await lockUntilReleased(arden.sql, tx => tx`LOCK TABLE articles`)
  const begun = performance.now()
  const { status, body } = await live.post('/articles', { project_id: id, title: 'Waits' })
  // One wait, not one for each statement that it tries.
  expect(performance.now() - begun).toBeLessThan(2 * LOCK_TIMEOUT_MS)
  expect([status, body.message]).toEqual([503, expect.stringContaining('Nothing was changed')])
  await release()
  expect((await live.get('/articles')).body.data).toEqual([])
}, 60_000)
