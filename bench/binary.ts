import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../build/compile'
import { postgresArchive } from '../build/postgres-archive'
import { ROOT } from '../build/root'
import { isTarget, thisPlatform } from '../build/targets'
import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import { commitEvents, watchDeliveries } from './parts/events'
import type { Figure } from './parts/figure'
import { atMost } from './parts/goal'
import { spread } from './parts/rounds'
import type { ReceiverStatus } from './processes/receiver'

/** Time from the start of a process to its first response, and to its first finished workflow. */
export const binary: Bench = {
  name: 'binary',
  product: 'the binary, from its start to the first response, and to the first finished workflow',
  baseline: 'none',
  run: async ({ servers, rounds }) => {
    const dir = await mkdtemp(join(tmpdir(), 'arden-bench-binary-'))
    try {
      const program = [await buildBinary(join(dir, 'arden'), servers.workflowBundle)]
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'received', ReceiverStatus>('receiver')
      await deployment.webhook((await receiver.run('received')).url)
      const toFirstResponse = async () => {
        const began = performance.now()
        const { url, stop } = await deployment.serve(program)
        const response = await fetch(`${url}/readyz`)
        const ended = performance.now()
        if (!response.ok) throw new Error(`/readyz responded with ${response.status}`)
        await stop()
        return (ended - began) / 1000
      }
      const toDelivered = async () => {
        const allDelivered = await watchDeliveries(deployment, receiver, 1)
        await commitEvents(deployment, 1)
        const began = Date.now()
        const { stop } = await deployment.worker('every', program)
        const ended = await allDelivered()
        await stop()
        return (ended - began) / 1000
      }
      return [
        await measureStart('start to first response', rounds, toFirstResponse, 0.3),
        await measureStart('start to first finished workflow', rounds, toDelivered, 1),
      ]
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
}

/** Does not count the first start, which reads the file from disk. */
const measureStart = async (
  variant: string,
  rounds: number,
  start: () => Promise<number>,
  goal: number,
): Promise<Figure> => {
  await start()
  const seconds: number[] = []
  for (let n = 0; n < rounds; n++) seconds.push(await start())
  const { median, least, most } = spread(seconds)
  return {
    variant,
    unit: 's',
    product: median,
    goal: atMost(goal),
    cpu: {},
    note: `${least.toFixed(2)} to ${most.toFixed(2)}`,
  }
}

const buildBinary = async (file: string, workflows: string): Promise<string> => {
  if (!isTarget(thisPlatform)) throw new Error(`There is no build for ${thisPlatform}.`)
  const postgres = await postgresArchive(thisPlatform, join(ROOT, 'dist', 'parts'))
  await compile(thisPlatform, { workflows, postgres }, file)
  return file
}
