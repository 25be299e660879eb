import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import { invalid } from '../../errors'
import { withCaller } from '../../http/request/caller'
import { OneOf } from '../../http/schema'
import { createShare } from '../coalesce'
import { DASHBOARD_API } from '../paths'
import { getOverview, type Overview, SPANS, type Span } from './store'

/** What has become of deliveries and requests; kind `overview`. */
export const overviewRoutes = ({ sql }: { sql: Sql }) => {
  // A tenth of the time at most goes into counting, however many look.
  const share = createShare<Overview>(10)
  return new Elysia({ prefix: DASHBOARD_API, normalize: false }).use(withCaller).get(
    '/overview',
    async ({ caller: { accountId, mode }, query: { span, zone } }) => {
      checkZone(zone)
      const data = await share(`${accountId} ${mode} ${span} ${zone}`, () =>
        getOverview(sql, { accountId, mode }, span, zone),
      )
      return { data }
    },
    { query: t.Object({ span: OneOf(Object.keys(SPANS) as Span[]), zone: t.String() }) },
  )
}

/** @throws {DomainError} VALIDATION_ERROR for what is no IANA time zone. */
const checkZone = (zone: string) => {
  // Also takes "+02:00", which PostgreSQL reads the other way round.
  if (/^[A-Za-z]/.test(zone)) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: zone })
      return
    } catch {
      // As below.
    }
  }
  throw invalid('zone', 'must be a time zone, such as Europe/Berlin')
}
