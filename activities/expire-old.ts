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
  /** Deletes all that is past its time, heartbeating after each batch. Each try goes on where the last ended. */
  expireOld(): Promise<DeletedCounts> {
    const { cancellationSignal, heartbeat } = Context.current()
    return deleteExpired(sql, retentionDays, expired => {
      cancellationSignal.throwIfAborted()
      heartbeat(expired)
    })
  },
})
