import { createAvailability, runPeriodically } from '../availability'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import { deleteKeywordBatch } from './keywords/deletion'
import { deleteProjectBatch } from './projects/deletion'

/** How often a worker checks for hidden records, in ms. */
const INTERVAL_MS = 1_000

/**
 * Deletes the records of hidden projects and keywords until `signal` is aborted (contract 6.9). A failure is logged and
 * tried again.
 * @param committed called after each commit that may have fired events.
 */
export const runDeletions = (
  sql: Sql,
  log: Log,
  committed: () => void,
  signal: AbortSignal,
): Promise<void> =>
  runPeriodically(
    async () => {
      const result = await deleteNextBatch(sql)
      if (result === 'more') committed()
      return result
    },
    INTERVAL_MS,
    createAvailability(
      log,
      'Deletion of hidden records',
      'They stay hidden until a retry succeeds.',
    ),
    signal,
  )

/** Deletes a batch of one project and one of one keyword, so that neither waits for the other. */
export const deleteNextBatch = async (sql: Sql): Promise<'more' | 'done'> => {
  const results = [await deleteProjectBatch(sql), await deleteKeywordBatch(sql)]
  return results.includes(true) ? 'more' : 'done'
}
