import { join } from 'node:path'
import { type Fault, hold } from '../fault'
import { runKiller } from '../killer'
import type { ArdenPart } from '../parts'
import { stepClock } from './clock'

/** What happens to processes. */
export const processFaults: Fault[] = [
  {
    name: 'kills',
    about: 'SIGKILL of PostgreSQL, Temporal, workers and serve, one after the other',
    run: runKiller,
  },
  {
    name: 'frozen-worker',
    about: 'SIGSTOP of a worker',
    run: hold('frozen-worker', async ({ parts }) => freeze(parts.workers[0])),
  },
  {
    name: 'frozen-serve',
    about: 'SIGSTOP of serve',
    run: hold('frozen-serve', async ({ parts }) => freeze(parts.serve)),
  },
  ...(['forwards', 'back'] as const).map(
    (direction): Fault => ({
      name: `clock-${direction}`,
      about: `the clocks of serve and workers step a minute ${direction}, and return`,
      preload: join(import.meta.dir, 'stepped-clock.ts'),
      run: hold(`clock-${direction}`, async () => stepClock(direction === 'back' ? -60 : 60)),
    }),
  ),
  {
    name: 'empty-temporal',
    about: "Temporal's store is lost: it starts empty, while everything else runs",
    run: hold('empty-temporal', async ({ parts: { temporal } }) => {
      await temporal.kill()
      await temporal.empty()
      await temporal.start()
      return () => {}
    }),
  },
]

const freeze = (part: ArdenPart) => {
  part.signal('SIGSTOP')
  return () => part.signal('SIGCONT')
}
