import type { Tenant } from '../src/caller'
import { type Publication, publishDue } from '../src/content/articles/scheduled'
import type { Sql } from '../src/db/connect'
import type { Log } from '../src/log'
import type { PublishChange } from '../src/notifications/changes'

type Deps = { sql: Sql; log: Log; publishChange: PublishChange; committed: () => void }

export const createPublishActivities = ({ sql, log, publishChange, committed }: Deps) => ({
  /** Publishes the articles whose `scheduled_at` has come. */
  publishDue(): Promise<Publication> {
    return publishDue(sql, log, (tenant: Tenant) => {
      committed()
      publishChange(tenant, 'articles', 'deliveries')
    })
  },
})
