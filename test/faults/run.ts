import { connect, type Sql } from '../../src/db/connect'
import { client } from '../support/client'
import { createFirstKey } from '../support/first-key'
import type { Lane } from '../support/lanes'
import { type Account, takeAccount } from './account'
import { type Kill, runKiller } from './killer'
import { type Load, runLoad } from './load'
import { type Part, startParts } from './parts'
import { createRandom } from './random'
import { type Endpoint, startReceivers } from './receivers'

export type Options = { events: number; kills: number; seed: number; lane: Lane }
export type Report = Account & { load: Load; kills: Kill[] }

const CALLERS = 6
/** Duration of load for each kill, in seconds: the part restarts and some deliveries are sent. */
const SECONDS_PER_KILL = 5
/** For the load, when parts are away for long. */
const LOAD_LIMIT_MS = 10 * 60_000
/** Longer than the sweep takes to notice what is overdue. */
const STUCK_MS = 150_000
const LOOK_MS = 250
const PROGRESS_MS = 5_000

/**
 * Changes articles through the API while parts are killed, waits until no delivery is open, and reports what
 * became of everything. Everything it starts is stopped again, in `dir`.
 * @throws when something does not come back or become final in time.
 */
export const runFaults = async (
  { events, kills: count, seed, lane }: Options,
  dir: string,
  say: (line: string) => void,
): Promise<Report> => {
  const log = (line: string) =>
    say(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`)
  const started: Part[] = []
  const receivers = startReceivers(createRandom(seed + 1))
  const stops: (() => unknown)[] = [receivers.stop]
  try {
    const parts = await startParts(dir, lane, part => started.push(part))
    const sql = connect(parts.databaseUrl, { name: 'faults', max: 2 })
    stops.push(() => sql.end({ timeout: 1 }))
    const key = await createFirstKey(sql)
    const webhooks = await subscribe(parts.url, key, receivers.endpoints)

    const load: Load = { expected: [], changes: 0, uncertain: 0, wrong: [] }
    const kills: Kill[] = []
    const progress = setInterval(
      () =>
        log(
          `${load.expected.length} of ${events} events, ${receivers.arrivals.length} requests arrived`,
        ),
      PROGRESS_MS,
    )
    stops.push(() => clearInterval(progress))
    log(`started; ${events} events, ${count} kills, --workflows ${lane} --seed ${seed}`)

    await Promise.all([
      runLoad(load, {
        url: parts.url,
        key,
        random: createRandom(seed + 2),
        callers: CALLERS,
        events,
        perSecond: events / (count * SECONDS_PER_KILL),
        signal: AbortSignal.timeout(LOAD_LIMIT_MS),
      }),
      runKiller(kills, {
        parts,
        random: createRandom(seed + 3),
        count,
        reached: () => load.expected.length / events,
        say: log,
      }),
    ])
    log('all parts are back; waiting until no delivery is open')
    await settled(sql, log)
    const account = await takeAccount(sql, {
      expected: load.expected,
      arrivals: receivers.arrivals,
      kills,
      webhooks,
    })
    log('done')
    return { ...account, wrong: [...load.wrong, ...account.wrong], load, kills }
  } finally {
    for (const stop of stops.reverse()) await stop()
    for (const part of started.reverse()) await part.stop()
  }
}

/** Deliveries that stay open while none becomes final for this long are counted as lost. */
export const settled = async (sql: Sql, log: (line: string) => void) => {
  let fewest = Number.POSITIVE_INFINITY
  for (let changedAt = performance.now(); ; await Bun.sleep(LOOK_MS)) {
    const [{ open }] = await sql<[{ open: number }]>`
      SELECT count(*) AS open FROM deliveries WHERE status = 'RETRYING'`
    if (open === 0) return
    if (open < fewest) changedAt = performance.now()
    fewest = Math.min(fewest, open)
    if (performance.now() - changedAt > STUCK_MS) return log(`${open} deliveries stay open`)
  }
}

/** A webhook for each. */
export const subscribe = async (url: string, key: string, endpoints: Endpoint[]) => {
  const api = client(url, key)
  return Promise.all(
    endpoints.map(async endpoint => {
      const { url, events } = endpoint
      const { status, body } = await api.post('/webhooks', { url, events })
      if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`)
      return { ...endpoint, id: String(body.data.id) }
    }),
  )
}
