import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../build/compile'
import { postgresArchive } from '../build/postgres-archive'
import { ROOT } from '../build/root'
import { isTarget, thisPlatform } from '../build/targets'
import type { Bench } from './bench'
import { commitEvents, watchDeliveries } from './parts/events'
import type { Figure } from './parts/figure'
import { atMost } from './parts/mark'
import { createStage } from './parts/stage'
import { spread } from './parts/turns'
import type { ReceiverAnswer } from './processes/receiver'

/** How long a process that was just started keeps its first caller waiting. */
export const binary: Bench = {
  name: 'binary',
  product: 'the one file, from its start to the first answer, and to the first workflow done',
  floor: 'none',
  run: async ({ servers, rounds }) => {
    const dir = await mkdtemp(join(tmpdir(), 'arden-bench-binary-'))
    try {
      const program = [await built(join(dir, 'arden'), servers.workflowBundle)]
      await using stage = await createStage(servers)
      const receiver = stage.child<'received', ReceiverAnswer>('receiver')
      await stage.webhook((await receiver.ask('received')).url)
      const toAnswer = async () => {
        const began = performance.now()
        const { url, stop } = await stage.serve(program)
        const answer = await fetch(`${url}/readyz`)
        const ended = performance.now()
        if (!answer.ok) throw new Error(`/readyz answered ${answer.status}`)
        await stop()
        return (ended - began) / 1000
      }
      const toDelivered = async () => {
        const allDelivered = await watchDeliveries(stage, receiver, 1)
        await commitEvents(stage, 1)
        const began = Date.now()
        const { stop } = await stage.worker('every', program)
        const ended = await allDelivered()
        await stop()
        return (ended - began) / 1000
      }
      return [
        await timed('start to first answer', rounds, toAnswer, 0.3),
        await timed('start to first workflow done', rounds, toDelivered, 1),
      ]
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
}

/** The first start, which reads the file from disk, is not counted. */
const timed = async (
  variant: string,
  rounds: number,
  start: () => Promise<number>,
  mark: number,
): Promise<Figure> => {
  await start()
  const seconds: number[] = []
  for (let n = 0; n < rounds; n++) seconds.push(await start())
  const { median, least, most } = spread(seconds)
  return {
    variant,
    unit: 's',
    product: median,
    mark: atMost(mark),
    cpu: {},
    note: `${least.toFixed(2)} to ${most.toFixed(2)}`,
  }
}

const built = async (file: string, workflows: string): Promise<string> => {
  if (!isTarget(thisPlatform)) throw new Error(`There is no build for ${thisPlatform}.`)
  const postgres = await postgresArchive(thisPlatform, join(ROOT, 'dist', 'parts'))
  await compile(thisPlatform, { workflows, postgres }, file)
  return file
}
