import { Context } from '@temporalio/activity'
import type { Sql } from '../src/db/connect'
import { type Expired, expire } from '../src/retention/expire'

export const createExpireActivities = ({
  sql,
  retentionDays,
}: {
  sql: Sql
  retentionDays: number
}) => ({
  /** Deletes all that is past its time, heartbeating after each batch. Each try goes on where the last ended. */
  expireOld(): Promise<Expired> {
    const { cancellationSignal, heartbeat } = Context.current()
    return expire(sql, retentionDays, expired => {
      cancellationSignal.throwIfAborted()
      heartbeat(expired)
    })
  },
})
