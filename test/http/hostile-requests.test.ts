import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { dashboardOperations } from '../support/http/hostile/dashboard-operations'
import { documentedOperations } from '../support/http/hostile/operations'
import { checkAnyTarget } from '../support/http/hostile/requests'
import { startMeasuredServer } from '../support/http/hostile/server'
import { stopAfterTests } from '../support/stop-after-tests'

/** Requests for each operation. The slow file sends more, to each member and header. */
const RUNS = 3

const arden = await useArden({ serve: true })
const server = stopAfterTests(await startMeasuredServer(arden))

test('responds to a hostile value anywhere in a request as documented, and at little cost', async () => {
  const operations = await documentedOperations(arden.url, await arden.client())
  expect(operations.length).toBeGreaterThan(40)
  const check = server.checkRequestsWith({ Authorization: `Bearer ${(await arden.key()).key}` })
  for (const operation of operations) await checkAnyTarget(operation, RUNS, check)
  const checkOpen = server.checkRequestsWith({ Origin: server.url })
  for (const operation of dashboardOperations(arden.sql).open)
    await checkAnyTarget(operation, RUNS, checkOpen)
})
