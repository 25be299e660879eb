import type { Fault } from '../../faults/fault'
import { quietPort } from '../../support/network/quiet-ports'
import { until } from '../../support/until'
import { type Disaster, resumeAfterPause, runUnderLoad, type Stage } from '../disaster'
import { archiving, asSuperuser, moveTo, stopAtEnd } from '../servers'

const EVENTS = 320
const LOAD_S = 80
const WAIT_S = 120
/** Load between the backup, the moment that is restored, and the disaster, in ms. */
const BETWEEN_MS = 5_000

/** Everything as it was at a moment, paused until the operator resumes. */
export const pointInTime: Disaster = {
  name: 'point-in-time',
  about: 'recovery to a moment from a base backup and the archive, into a paused state',
  blocks: ['archive', 'base-backup', 'archived', 'last-segment', 'restore', 'paused', 'resume'],
  run: async stage => {
    await runUnderLoad(stage, { fault: restoreToMoment(stage), events: EVENTS, loadS: LOAD_S })
  },
}

const restoreToMoment = (stage: Stage): Fault => ({
  name: 'point-in-time',
  about: '',
  // What was committed after the moment is lost.
  failover: 'asynchronous',
  beforeArden: archiving(stage),
  run: async ({ parts, reached, disturbances, arrivals, say }) => {
    const { operator } = stage
    await until('the load begins', () => reached() >= 0.2, WAIT_S)
    await operator.follow('base-backup')
    await operator.follow('archived')
    await Bun.sleep(BETWEEN_MS)
    const moment = await asSuperuser(parts.postgres, async sql => {
      const [row] = await sql<[{ now: string }]>`SELECT clock_timestamp()::text AS now`
      return row.now
    })
    const at = performance.now()
    await operator.set({ RESTORE_TO: moment })
    await Bun.sleep(BETWEEN_MS)

    const began = performance.now()
    const disturbance = { name: 'point-in-time', at, until: Infinity, repeatsUntil: Infinity }
    disturbances.push(disturbance)
    for (const one of [parts.serve, ...parts.workers]) await one.kill()
    await parts.temporal.kill()
    await operator.follow('last-segment')
    stopAtEnd(stage, 'RESTORED')
    await operator.follow('restore')
    await operator.follow('paused')
    await parts.temporal.empty()
    await parts.temporal.start()
    moveTo(parts, operator.secondPort)
    for (const one of [parts.serve, ...parts.workers]) await one.start()
    say(`restored and paused after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    await resumeAfterPause(operator, arrivals)
    disturbance.until = performance.now()
    disturbance.repeatsUntil = disturbance.until
    await makeStandby(stage)
  },
})

/** A standby of the restored server starts: it copies the settings, and must not stop at the moment as well. */
const makeStandby = async ({ operator, onEnd }: Stage): Promise<void> => {
  const folder = '"$RESTORED.standby"'
  onEnd(() => operator.type(`pg_ctl --pgdata=${folder} --mode=immediate stop || true`))
  await operator.type(
    `pg_basebackup --dbname="$SECOND_ADMIN_URL" --pgdata=${folder} --checkpoint=fast --write-recovery-conf`,
  )
  await operator.type(
    `pg_ctl --pgdata=${folder} --options="-p ${await quietPort()}" --log="$RESTORED.standby.log" --wait start`,
  )
}
