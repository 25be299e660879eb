import { deleteNextBatch } from '../../../src/content/deletions'
import type { Sql } from '../../../src/db/connect'

/** Finishes all deletions, as a worker does. */
export const finishDeletions = async (sql: Sql): Promise<void> => {
  while ((await deleteNextBatch(sql)) === 'more');
}
