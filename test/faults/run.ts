import { connect } from '../../src/db/connect'
import { createFirstKey } from '../support/first-key'
import type { Lane } from '../support/lanes'
import type { Disturbance, Verdict } from './check/history'
import { startCheckedLoad } from './checked-load'
import type { Fault } from './fault'
import { type Latency, measureLatency } from './latency'
import type { Load } from './load'
import { type Parts, startParts } from './parts'
import { createRandom } from './random'
import { startReceivers } from './receivers'

export type Options = {
  fault: Fault
  events: number
  /** How long the load takes, in seconds, while nothing is away. */
  loadS: number
  holdMs: number
  kills: number
  seed: number
  lane: Lane
}
export type Report = {
  verdicts: Verdict[]
  load: Load
  disturbances: Disturbance[]
  latency: Record<'disturbed' | 'undisturbed', Latency>
}

const CALLERS = 6
/** For the load, when parts are away for long. */
const LOAD_LIMIT_MS = 10 * 60_000
const PROGRESS_MS = 5_000

/**
 * Changes articles through the API while a fault disturbs the parts, waits until no delivery is open, and checks what
 * receivers and the API saw against the contract. Everything it starts is stopped again, in `dir`.
 * @throws when something does not come back or become final in time.
 */
export const runFault = async (
  options: Options,
  dir: string,
  say: (line: string) => void,
): Promise<Report> => {
  const { fault, events, loadS, seed } = options
  const log = (line: string) =>
    say(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`)
  const receivers = startReceivers(createRandom(seed + 1))
  const stops: (() => unknown)[] = [receivers.stop]
  try {
    const random = createRandom(seed + 3)
    const parts = await startParts(dir, options.lane, fault, random, stop => stops.push(stop))
    const api = { url: parts.url, key: await firstKey(parts) }
    const running = await startCheckedLoad({
      ...api,
      receivers,
      random: createRandom(seed + 2),
      callers: CALLERS,
      events,
      perSecond: events / loadS,
      failover: fault.failover,
    })
    const { load, disturbances } = running
    const limit = setTimeout(running.stop, LOAD_LIMIT_MS)
    stops.push(() => clearTimeout(limit), running.stop)
    const progress = setInterval(
      () =>
        log(
          `${load.expected.length} of ${events} events, ${receivers.arrivals.length} requests arrived`,
        ),
      PROGRESS_MS,
    )
    stops.push(() => clearInterval(progress))
    log(`${fault.name}: ${events} events, --workflows ${options.lane} --seed ${seed}`)

    const reached = () => load.expected.length / events
    await Promise.all([
      running.ended,
      fault.run({
        ...options,
        ...{ parts, random, reached, disturbances },
        arrivals: receivers.arrivals,
        say: log,
      }),
    ])
    log('all parts are back; waiting until no delivery is open')
    const { history, verdicts } = await running.finish(log)
    log('done')
    return { verdicts, load, disturbances, latency: measureLatency(history) }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** A live key of the first account. */
export const firstKey = async ({ postgres }: Parts): Promise<string> => {
  const sql = connect(postgres.current().url, { name: 'faults', max: 1 })
  try {
    return await createFirstKey(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
