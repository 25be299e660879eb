import type { Fault } from '../../faults/fault'
import { until } from '../../support/until'
import { type Disaster, runUnderLoad, type Stage } from '../disaster'
import { archiving, asSuperuser } from '../servers'

/** Rows of a kilobyte beside Arden's, so that a copy takes a while: 400 MB. */
const BALLAST_ROWS = 400_000
/** Where in the load the copies begin: before, between and behind them nothing else happens. */
const BACKUPS_AT = [0.1, 0.55]
const EVENTS = 600
const LOAD_S = 120
const WAIT_S = 300

/** Base backups while deliveries go on: what they cost these. */
export const backup: Disaster = {
  name: 'backup',
  about: 'continuous archiving and base backups under load, and what they cost deliveries',
  blocks: ['archive', 'base-backup', 'archived'],
  run: async stage => {
    const { latency } = await runUnderLoad(stage, {
      fault: backUpTwice(stage),
      events: EVENTS,
      loadS: LOAD_S,
      lane: 'on-retry',
    })
    const ratio = (name: 'p50' | 'p99') =>
      (latency.disturbed[name] / latency.undisturbed[name]).toFixed(2)
    stage.say(
      `From the request to the first request of the webhook, with a backup to without one: p50 ${ratio('p50')}, p99 ${ratio('p99')}`,
    )
  },
}

const backUpTwice = (stage: Stage): Fault => ({
  name: 'backup',
  about: '',
  beforeArden: async (postgres, random) => {
    await asSuperuser(postgres, async sql => {
      await sql`CREATE TABLE ballast AS
        SELECT n, repeat(md5(n::text), 30) FROM generate_series(1, ${BALLAST_ROWS}::int) n`
      await sql`CHECKPOINT`
    })
    return await archiving(stage)(postgres, random)
  },
  run: async ({ reached, disturbances, parts }) => {
    for (const [n, point] of BACKUPS_AT.entries()) {
      await until('the load gets there', () => reached() >= point, WAIT_S)
      await stage.operator.set({ BACKUP: `${parts.postgres.dir}/backup${n}` })
      const at = performance.now()
      await stage.operator.follow('base-backup')
      // Nothing is sent again for a backup.
      disturbances.push({ name: 'backup', at, until: performance.now(), repeatsUntil: -1 })
      await stage.operator.follow('archived')
    }
  },
})
