import { createAvailability, repeat } from '../availability'
import type { Sql } from '../db/connect'
import type { Log } from '../log'
import { finishKeywordDeletions } from './keyword-deletion'
import { finishProjectDeletions } from './project-deletion'

/** Between looks for what was deleted, in ms: it is hidden already. */
const EVERY_MS = 1_000

/** Finishes deletions until `signal`. What fails is told and tried again. */
export const runDeletions = (sql: Sql, log: Log, signal: AbortSignal): Promise<void> =>
  repeat(
    async () => {
      await finishProjectDeletions(sql)
      await finishKeywordDeletions(sql)
      return 'done'
    },
    EVERY_MS,
    createAvailability(log, 'Removing what was deleted', 'It stays hidden and is tried again.'),
    signal,
  )
