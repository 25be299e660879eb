import type { Context } from 'elysia'
import type { Caller } from '../caller'
import type { Sql, Tx } from '../db/connect'

/** What a changing route hands over of its Elysia context. */
export type ChangeContext = { caller: Caller; request: Request; set: Context['set'] }

/**
 * Runs `fn` in one transaction and answers `{data}` with `status`: the only way an API route changes
 * anything, so that a change, its events and its audit entry commit together or not at all.
 */
export type Change = <T>(
  context: ChangeContext,
  status: 200 | 201 | 202,
  fn: (tx: Tx) => Promise<T>,
) => Promise<{ data: T }>

/** `committed` is called after each commit: it wakes the dispatchers (design, step 2). */
export const createChange =
  (sql: Sql, committed: () => void): Change =>
  async (context, status, fn) => {
    const data = await sql.begin(tx => fn(tx as Tx))
    committed()
    context.set.status = status
    return { data: data as Awaited<ReturnType<typeof fn>> }
  }
