import type { Fault } from '../../faults/fault'
import { until } from '../../support/until'
import { type Disaster, runUnderLoad, type Stage } from '../disaster'
import { archiving, equip, moveTo, stopAtEnd } from '../servers'

const EVENTS = 240
const LOAD_S = 40
const WAIT_S = 120

/** A synchronous standby, made and promoted by hand. */
export const failover: Disaster = {
  name: 'failover',
  about: 'a synchronous standby takes over from a PostgreSQL that was killed',
  blocks: ['archive', 'standby', 'synchronous', 'synchronized', 'promote'],
  run: async stage => {
    await runUnderLoad(stage, { fault: failOver(stage), events: EVENTS, loadS: LOAD_S })
  },
}

const failOver = (stage: Stage): Fault => ({
  name: 'failover',
  about: '',
  failover: 'synchronous',
  beforeArden: archiving(stage),
  run: async ({ parts, reached, disturbances, say }) => {
    const { operator } = stage
    await until('the load begins', () => reached() >= 0.1, WAIT_S)
    await equip(stage, parts.postgres, 'STANDBY')
    stopAtEnd(stage, 'STANDBY')
    await operator.follow('standby')
    await operator.follow('synchronous')
    await operator.follow('synchronized')
    const load = reached()
    await until('the load goes on', () => reached() >= load + 0.1, WAIT_S)
    const at = performance.now()
    const disturbance = { name: 'failover', at, until: Infinity, repeatsUntil: Infinity }
    disturbances.push(disturbance)
    await parts.postgres.kill()
    await operator.follow('promote')
    moveTo(parts, operator.secondPort)
    const moved = reached()
    await until('changes succeed again', () => reached() > moved, WAIT_S)
    disturbance.until = performance.now()
    disturbance.repeatsUntil = disturbance.until
    say(`changes succeed again ${((disturbance.until - at) / 1000).toFixed(1)} s after the kill`)
  },
})
