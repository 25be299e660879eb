import { createAvailability, runPeriodically } from '../availability'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import { deleteKeywordBatch } from './keywords/deletion'
import { deleteProjectBatch } from './projects/deletion'

/** Between looks for what was deleted, in ms: it is hidden already. */
const EVERY_MS = 1_000

/**
 * Finishes deletions until `signal`. What fails is told and tried again. `committed` is called after each
 * commit, for it may have fired events.
 */
export const runDeletions = (
  sql: Sql,
  log: Log,
  committed: () => void,
  signal: AbortSignal,
): Promise<void> =>
  runPeriodically(
    async () => {
      const found = await deleteNextBatch(sql)
      if (found === 'more') committed()
      return found
    },
    EVERY_MS,
    createAvailability(log, 'Removing what was deleted', 'It stays hidden and is tried again.'),
    signal,
  )

/** Removes a batch of each kind: neither waits for the other, and a stop waits for no more than these. */
export const deleteNextBatch = async (sql: Sql): Promise<'more' | 'done'> => {
  const found = [await deleteProjectBatch(sql), await deleteKeywordBatch(sql)]
  return found.includes(true) ? 'more' : 'done'
}
