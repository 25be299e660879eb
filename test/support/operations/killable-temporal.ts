import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isPortFree } from '../../../src/local/ports'
import { isRunning } from '../../../src/local/process'
import { findTemporal } from '../../../src/local/temporal/find'
import { startTemporal } from '../../../src/local/temporal/server'
import { quietPort } from '../network/quiet-ports'
import { stopAfterTests } from '../stop-after-tests'
import { until } from '../until'

/**
 * A Temporal that the tests of a file may kill and start again at the same address, as an operator starts it: workers
 * register what they need. It runs with the store `first`; with another name it has another store.
 */
export const useKillableTemporal = async () => {
  const root = await mkdtemp(join(tmpdir(), 'arden-killable-temporal-'))
  const port = await quietPort()
  const run = async (store: string) =>
    startTemporal({
      path: await findTemporal(() => {}),
      dir: join(root, store),
      port,
      searchAttributes: {},
    })
  let temporal = await run('first')
  stopAfterTests({ stop: () => temporal.stop() })
  return {
    address: temporal.address,
    kill: async () => {
      process.kill(temporal.pid, 'SIGKILL')
      // A process that is killed has its port for a moment after it is gone.
      await until(
        'Temporal and its listener are gone',
        async () => !(await isRunning(temporal.pid)) && (await isPortFree(port)),
      )
    },
    start: async (store: string) => {
      temporal = await run(store)
    },
  }
}
