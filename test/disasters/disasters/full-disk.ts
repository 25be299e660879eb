import type { Fault } from '../../faults/fault'
import { databaseFaults } from '../../faults/faults/database'
import { type Disaster, runUnderLoad } from '../disaster'
import { equip } from '../servers'

const EVENTS = 240
const LOAD_S = 60
const FULL_MS = 20_000

const faultNamed = (name: string): Fault => {
  const fault = databaseFaults.find(one => one.name === name)
  if (fault === undefined) throw new Error(`there is no fault "${name}"`)
  return fault
}
const fault = faultNamed('full-disk')

/** The fault `full-disk`, with an operator who looks for the reason, and a client that reads the error. */
export const fullDisk: Disaster = {
  name: 'full-disk',
  about:
    "PostgreSQL's disk is full: changes get 503, nothing accepted is lost, it goes on with room",
  blocks: ['disk'],
  ...(fault.missing !== undefined && { missing: fault.missing }),
  run: async stage => {
    const { load } = await runUnderLoad(stage, {
      events: EVENTS,
      loadS: LOAD_S,
      holdMs: FULL_MS,
      fault: {
        ...fault,
        run: async scene => {
          await equip(stage, scene.parts.postgres)
          await stage.operator.follow('disk')
          await fault.run(scene)
        },
      },
    })
    const texts = load.refusals.map(text => JSON.parse(text).message)
    for (const [text, all] of Map.groupBy(texts, one => one))
      stage.say(`503, ${all.length} times: ${text}`)
    if (texts.length === 0) throw new Error('no change was refused')
  },
}
