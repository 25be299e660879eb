import type { Fault } from '../../faults/fault'
import type { ArdenPart } from '../../faults/parts'
import { until } from '../../support/until'
import { type Disaster, resumeAfterPause, runUnderLoad, type Stage } from '../disaster'
import { equip } from '../servers'

const EVENTS = 240
const LOAD_S = 40
const WAIT_S = 120

/** Everything from a dump, in another database. */
export const dump: Disaster = {
  name: 'dump',
  about: 'a dump is restored into another database, into a paused state',
  blocks: ['dump', 'restore-dump', 'resume'],
  run: async stage => {
    await runUnderLoad(stage, { fault: restoreDump(stage), events: EVENTS, loadS: LOAD_S })
  },
}

const restoreDump = (stage: Stage): Fault => ({
  name: 'dump',
  about: '',
  // Nothing is lost, and the event stream reports a gap.
  failover: 'synchronous',
  run: async ({ parts, reached, disturbances, arrivals }) => {
    const { operator } = stage
    await equip(stage, parts.postgres)
    const restored = new URL(parts.postgres.current().url)
    restored.pathname = '/arden_restored'
    await operator.set({ RESTORED_URL: restored.href })
    await until('the load begins', () => reached() >= 0.3, WAIT_S)
    const disturbance = {
      name: 'dump',
      at: performance.now(),
      until: Number.POSITIVE_INFINITY,
      repeatsUntil: Number.POSITIVE_INFINITY,
    }
    disturbances.push(disturbance)
    const arden = [parts.serve, ...parts.workers]
    for (const one of arden) await one.kill()
    await parts.temporal.kill()
    await operator.follow('dump')
    await operator.follow('restore-dump')
    await parts.temporal.empty()
    await parts.temporal.start()
    for (const one of arden) await one.start({ DATABASE_URL: through(one, restored) })
    await resumeAfterPause(operator, arrivals)
    disturbance.until = performance.now()
    disturbance.repeatsUntil = disturbance.until
  },
})

/** The URL by way of the process's own link. */
const through = ({ postgres }: ArdenPart, url: URL): string => {
  const own = new URL(url)
  own.port = String(postgres.port)
  return own.href
}
