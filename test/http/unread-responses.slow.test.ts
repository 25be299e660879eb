import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { createReader } from '../support/http/unread-responses'
import { until } from '../support/until'

const arden = await useArden({ serve: true })

test('a response of which nothing is read for a minute ends, and its bytes are free', async () => {
  const { api, request } = await createReader(arden)
  for (let n = 0; n < 2; n++) expect((await request()).status).toBe(200)
  expect((await api.get('/projects')).status).toBe(429)
  await until('they end', async () => (await api.get('/projects')).status === 200, 120)
}, 180_000)
