import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { dashboardOperations } from '../support/http/hostile/dashboard-operations'
import { documentedOperations } from '../support/http/hostile/operations'
import { checkAnyTarget } from '../support/http/hostile/requests'
import { startMeasuredServer } from '../support/http/hostile/server'
import { fc } from '../support/property'
import { stopAfterTests } from '../support/stop-after-tests'

/** Requests for each operation. The slow file sends more, to each member and header. */
const RUNS = 3

const arden = await useArden({ serve: true })
const server = stopAfterTests(await startMeasuredServer(arden))

const check = server.checkRequestsWith({ Authorization: `Bearer ${(await arden.key()).key}` })

test('responds to a hostile value anywhere in a request as documented, and at little cost', async () => {
  const operations = await documentedOperations(arden.url, await arden.client())
  expect(operations.length).toBeGreaterThan(40)
  for (const operation of operations)
    await server.checkPeak(operation.name, () => checkAnyTarget(operation, RUNS, check))
  const checkOpen = server.checkRequestsWith({ Origin: server.url })
  for (const operation of dashboardOperations(arden.sql).open)
    await server.checkPeak(operation.name, () => checkAnyTarget(operation, RUNS, checkOpen))
})

/** JSON of `count` items, in 1 MiB. */
const many = (count: number, item: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => item(n)).join(',')

// A path that was built for each value once made the first one cost 860 ms of CPU instead of 50.
test.each([
  ['500,000 values', '/projects', () => `{"name":"p","a":[${many(500_000, () => '0')}]}`],
  ['80,000 members', '/projects', () => `{"name":"p",${many(80_000, n => `"${n}":0`)}}`],
  ['100,000 scopes', '/api-keys', () => `{"name":"k","scopes":[${many(100_000, n => `"${n}"`)}]}`],
])('responds to a body of %s at little cost', async (label, path, body) =>
  check({
    label,
    method: 'POST',
    path: `/api/public/v1${path}`,
    headers: { 'content-type': 'application/json' },
    body,
    [fc.toStringMethod]: () => label,
  }),
)
