import type { Fault } from '../../faults/fault'
import { until } from '../../support/until'
import { type Disaster, runUnderLoad, type Stage } from '../disaster'
import { equip } from '../servers'

const EVENTS = 240
const LOAD_S = 40
const WAIT_S = 120

/** Temporal has forgotten everything. */
export const temporalStore: Disaster = {
  name: 'temporal-store',
  about: "Temporal's store is lost: an empty one takes its place",
  blocks: ['doctor'],
  run: async stage => {
    await runUnderLoad(stage, { fault: emptyTemporal(stage), events: EVENTS, loadS: LOAD_S })
  },
}

const emptyTemporal = (stage: Stage): Fault => ({
  name: 'temporal-store',
  about: '',
  run: async ({ parts, reached, disturbances, say }) => {
    await equip(stage, parts.postgres)
    await until('the load begins', () => reached() >= 0.3, WAIT_S)
    const at = performance.now()
    const disturbance = { name: 'temporal-store', at, until: Infinity, repeatsUntil: Infinity }
    disturbances.push(disturbance)
    await parts.temporal.kill()
    await parts.temporal.empty()
    await parts.temporal.start()
    await stage.operator.set(parts.environment)
    await stage.operator.follow('doctor')
    disturbance.until = performance.now()
    disturbance.repeatsUntil = disturbance.until
    say(`an empty Temporal runs after ${((disturbance.until - at) / 1000).toFixed(1)} s`)
  },
})
