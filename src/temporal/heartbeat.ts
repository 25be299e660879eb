import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/connect'

/** How often a worker says that it is there, in ms. */
const EVERY_MS = 5_000
/** One that was not seen for this long is not there, in s. `claim_deliveries` counts with the same. */
export const WORKER_ALIVE_S = 15

/**
 * Keeps this worker's row until `signal`, then deletes it: from these rows `serve` tells whether anybody
 * sends, and dispatchers how much can be sent, without asking Temporal. `slots`: attempts it makes at a time.
 */
export const reportWorker = async (
  sql: Sql,
  { id, slots }: { id: string; slots: number },
  signal: AbortSignal,
): Promise<void> => {
  // A beat that Postgres misses is made up for by the next one.
  while (!signal.aborted) {
    // It also clears away those that were killed, an hour later: until then they can be asked after.
    await sql`
      WITH killed AS (
        DELETE FROM workers
        WHERE seen_at < clock_timestamp() - interval '1 hour' AND id <> ${id}
      )
      INSERT INTO workers (id, slots) VALUES (${id}, ${slots})
      ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp(), slots = EXCLUDED.slots`.catch(
      () => {},
    )
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
  await sql`DELETE FROM workers WHERE id = ${id}`.catch(() => {})
}

/** Whether a worker of the machine or container that is called `host` has reported lately. */
export const hasLiveWorker = async (sql: Sql, host: string): Promise<boolean> => {
  const [found] = await sql`
    SELECT 1 FROM workers
    WHERE starts_with(id, ${`${host}:`})
      AND seen_at > clock_timestamp() - make_interval(secs => ${WORKER_ALIVE_S})`
  return found !== undefined
}
