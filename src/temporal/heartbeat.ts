import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/connect'

/** How often a worker says that it is there, in ms. */
const EVERY_MS = 5_000

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
    await sql`
      INSERT INTO workers (id, slots) VALUES (${id}, ${slots})
      ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp(), slots = EXCLUDED.slots`.catch(
      () => {},
    )
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
  await sql`DELETE FROM workers WHERE id = ${id}`.catch(() => {})
}
