import { Context } from '@temporalio/activity'
import type { Sql } from '../src/db/connect'
import { type DeletedCounts, deleteExpired } from '../src/retention/expiry'

export const createExpireActivities = ({
  sql,
  retentionDays,
}: {
  sql: Sql
  retentionDays: number
}) => ({
  /** Deletes everything past its retention, with a heartbeat after each batch. A retry continues where it ended. */
  expireOld(): Promise<DeletedCounts> {
    const { cancellationSignal, heartbeat } = Context.current()
    return deleteExpired(sql, retentionDays, expired => {
      cancellationSignal.throwIfAborted()
      heartbeat(expired)
    })
  },
})
