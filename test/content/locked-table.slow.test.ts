import { expect, test } from 'bun:test'
import { LOCK_TIMEOUT_MS } from '../../src/db/connect'
import { useContent } from '../support/content/content'

const { arden, live, newProject } = await useContent()

test('an article waits for a locked table no longer than for a lock, and was not created', async () => {
  const { id } = await newProject()
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const lock = arden.sql.begin(async tx => {
    await tx`LOCK TABLE articles IN ACCESS EXCLUSIVE MODE`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const begun = performance.now()
  const { status, body } = await live.post('/articles', { project_id: id, title: 'Waits' })
  // One wait, not one for each statement that it tries.
  expect(performance.now() - begun).toBeLessThan(2 * LOCK_TIMEOUT_MS)
  expect([status, body.message]).toEqual([503, expect.stringContaining('Nothing was changed')])
  released.resolve()
  await lock
  expect((await live.get('/articles')).body.data).toEqual([])
}, 60_000)
