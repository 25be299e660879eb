import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import {
  addLargeArticles,
  fetchApi,
  filesOf,
  openDownload,
  withoutChunks,
} from '../support/content/exports'
import { lockUntilReleased } from '../support/db/locks'
import { settled } from '../support/settled'
import { until } from '../support/until'

/** What a ZIP costs while it is downloaded, slowly, side by side and in vain (contract 6.17). */

const arden = await useArden({ serve: true })

/** An account with a key and 16 MiB of articles. */
const createAccount = async () => {
  const { accountId } = await createCaller(arden.sql)
  const { key } = await arden.key({ accountId })
  const api = await arden.client({ accountId })
  const { id: project } = (await api.post('/projects', { name: 'Blog' })).body.data
  await addLargeArticles(arden, { project, count: 16, bytes: 1024 ** 2 })
  return { key, api, open: () => openDownload(arden, key, '/articles/export') }
}

/** What connections to this database do, but for the one that looks. */
const busy = () => arden.sql`
  SELECT state, query FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`

test('a client that reads slowly keeps neither a connection to PostgreSQL nor a transaction', async () => {
  const { open } = await createAccount()
  const slow = [await open(), await open()]
  expect(slow.map(({ status }) => status)).toEqual([200, 200])
  await until('no connection is in use', async () => (await busy()).length === 0)
  for (const { abort } of slow) abort()
})

test('of 32 downloads at once an account gets two; other accounts do not wait, and those that are aborted are free again', async () => {
  const { key, api, open } = await createAccount()
  const other = await createAccount()
  const downloads = await Promise.all(Array.from({ length: 32 }, open))
  const accepted = downloads.filter(({ status }) => status === 200)
  expect(accepted).toHaveLength(2)
  expect(downloads.filter(({ status }) => status === 429)).toHaveLength(30)
  const refused = await api.get('/articles/export')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect(refused.body.message).toBe(
    'Your account downloads 2 ZIPs of articles already. Wait until one has ended, then try again.',
  )
  expect(
    Object.keys(await filesOf(await fetchApi(arden, other.key, '/articles/export'))),
  ).toHaveLength(16)
  expect((await api.get('/articles')).status).toBe(200)
  for (const { abort } of downloads) abort()
  await until('another one is accepted', async () => {
    const response = await fetchApi(arden, key, '/articles/export')
    await response.arrayBuffer()
    return response.status === 200
  })
})

test('a client that is gone before the first byte is counted no longer', async () => {
  const { key } = await createAccount()
  const release = await lockUntilReleased(arden.sql, tx => tx`LOCK TABLE articles`)
  const abort = new AbortController()
  const gone = Array.from({ length: 8 }, () =>
    fetchApi(arden, key, '/articles/export', { signal: abort.signal }).catch(() => {}),
  )
  await until('they wait for the lock', async () => (await busy()).length >= 3)
  abort.abort()
  await Promise.all(gone)
  await release()
  await until('a download is accepted', async () => {
    const response = await fetchApi(arden, key, '/articles/export')
    await response.body?.cancel()
    return response.status === 200
  })
})

test('a read that fails breaks the download off: what was received is no ZIP', async () => {
  const { open } = await createAccount()
  const download = await open()
  expect(download.status).toBe(200)
  const release = await lockUntilReleased(arden.sql, tx => tx`LOCK TABLE articles`)
  const received = await download.rest()
  await release()
  expect(received.byteLength).toBeGreaterThan(100_000)
  expect(received.byteLength).toBeLessThan(14 * 1024 ** 2)
  // Neither the last chunk of HTTP nor the directory of the ZIP.
  expect(received.subarray(-5).toString('latin1')).not.toBe('0\r\n\r\n')
  expect(received.includes('PK\x05\x06')).toBe(false)
  expect(await settled(filesOf(new Response(received)))).toThrow()
}, 60_000)

test('an article that is deleted while the ZIP is sent is left out, and the ZIP is complete', async () => {
  const { api, open } = await createAccount()
  const download = await open()
  let { body } = await api.get('/articles')
  while (body.next_cursor !== null)
    body = (await api.get(`/articles?cursor=${body.next_cursor}`)).body
  await api.delete(`/articles/${body.data.at(-1).id}`)
  const files = await filesOf(new Response(withoutChunks(await download.rest())))
  expect(Object.keys(files)).toHaveLength(15)
}, 60_000)
