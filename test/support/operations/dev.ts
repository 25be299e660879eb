import { join } from 'node:path'
import { until } from '../until'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

/** For PostgreSQL, Temporal, the API and a worker, on a busy machine. */
const START_S = 120

/** `arden dev` in a process of its own, ready. */
export const startDev = async (env: Record<string, string>) => {
  const child = Bun.spawn([process.execPath, MAIN, 'dev'], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = { text: '' }
  const collect = async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream()))
      output.text += chunk
  }
  const closed = collect()
  await until(
    'dev is ready',
    () => {
      if (child.exitCode !== null) throw new Error('dev ended')
      return output.text.includes('stops everything')
    },
    START_S,
  )
  return {
    output,
    stop: async (...signals: NodeJS.Signals[]) => {
      for (const signal of signals) child.kill(signal)
      await closed
      return await child.exited
    },
  }
}
