import { Context } from '@temporalio/activity'
import type { Sql } from '../src/db/connect'
import { type Deletion, deleteExpired } from '../src/retention/expiry'

export const createExpireActivities = ({
  sql,
  retentionDays,
}: {
  sql: Sql
  retentionDays: number
}) => ({
  /**
   * Deletes everything past its retention, with a heartbeat after each batch. A retry continues where it ended, and a
   * run where the `last` one did.
   */
  expireOld(last?: Partial<Deletion>): Promise<Deletion> {
    const { cancellationSignal, heartbeat, info } = Context.current()
    const before: Partial<Deletion> | undefined = info.heartbeatDetails ?? last
    return deleteExpired(sql, retentionDays, before?.events_after ?? '', deleted => {
      cancellationSignal.throwIfAborted()
      heartbeat(deleted)
    })
  },
})
