import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { dashboardOperations } from '../support/http/hostile/dashboard-operations'
import { documentedOperations } from '../support/http/hostile/operations'
import { checkEveryTarget } from '../support/http/hostile/requests'
import { startMeasuredServer } from '../support/http/hostile/server'
import { COOKIE, sessionToken } from '../support/http/person'
import { stopAfterTests } from '../support/stop-after-tests'

/** Requests for each member, parameter or header: about 3,900, which cost 47 s of CPU with their servers. */
const RUNS = { body: 24, query: 8, path: 3, header: 3 }
const WARM_UP_RUNS = { body: 1, query: 1, path: 0, header: 0 }

// With the default limits, requests that create records would soon be refused before their work.
const arden = await useArden(
  { serve: true },
  { ARDEN_MAX_KEYS: '100000', ARDEN_MAX_WEBHOOKS: '100000' },
)
const server = stopAfterTests(await startMeasuredServer(arden))
const operations = await documentedOperations(arden.url, await arden.client())
const { open, signedIn } = dashboardOperations(arden.sql)

const check = server.checkRequestsWith({ Authorization: `Bearer ${(await arden.key()).key}` })
const checkOpen = server.checkRequestsWith({ Origin: server.url })

for (const operation of operations) await checkEveryTarget(operation, WARM_UP_RUNS, check)
const baselineMiB = server.memoryMiB()

describe('responds to hostile values as documented, and at little cost', () => {
  for (const operation of operations)
    test(operation.name, () =>
      server.checkPeak(operation.name, () => checkEveryTarget(operation, RUNS, check)),
    )

  for (const operation of open)
    test(operation.name, () =>
      server.checkPeak(operation.name, () => checkEveryTarget(operation, RUNS, checkOpen)),
    )

  for (const operation of signedIn)
    test(operation.name, async () => {
      const Cookie = `${COOKIE}=${await sessionToken(arden)}`
      await server.checkPeak(operation.name, () =>
        checkEveryTarget(operation, RUNS, server.checkRequestsWith({ Origin: server.url, Cookie })),
      )
    })
})

test('the operations of the API and of the dashboard are found', () => {
  expect(operations.length).toBeGreaterThan(40)
  expect(open.length).toBeGreaterThan(2)
  expect(signedIn.length).toBeGreaterThan(15)
})

test('afterwards the server responds, and its memory returns to at most 64 MiB more than before', () =>
  server.checkMemoryReturns(baselineMiB))
