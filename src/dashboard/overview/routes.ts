import { Elysia, t } from 'elysia'
import { isInvalidParameter } from '../../db/connect'
import { invalid } from '../../errors'
import type { UncheckedRead } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { OneOf } from '../../http/schema'
import { withRole } from '../access/roles'
import { createCoalesce } from '../coalesce'
import { DASHBOARD_API } from '../paths'
import { type ContentFigures, countContent } from './content'
import { type FirstSteps, getFirstSteps } from './first-steps'
import { getOverview, type Overview, SPANS, type Span } from './store'

/** Deliveries by status and requests by outcome, over time; how much content there is; the first steps. */
export const overviewRoutes = ({ read }: { read: UncheckedRead }) => {
  // At most a tenth of the time is spent counting, however many pages are open.
  const coalesce = createCoalesce<Overview>(10)
  const coalesceContent = createCoalesce<ContentFigures>(10)
  return new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/overview',
      async ({ caller: { accountId, mode }, query: { span, zone } }) => {
        checkZone(zone)
        const data = await coalesce(`${accountId} ${mode} ${span} ${zone}`, () =>
          read({ accountId }, sql => getOverview(sql, { accountId, mode }, span, zone)),
        ).catch(error => {
          // PostgreSQL lacks some old names that Intl has, such as US/Pacific-New.
          throw isInvalidParameter(error) ? unknownZone() : error
        })
        return { data }
      },
      {
        role: 'viewer',
        query: t.Object({
          span: OneOf(Object.keys(SPANS) as Span[]),
          zone: t.String({ maxLength: 64 }),
        }),
      },
    )
    .get(
      '/overview/content',
      async ({ caller: { accountId, mode } }) => ({
        data: await coalesceContent(`${accountId} ${mode}`, () =>
          read({ accountId }, sql => countContent(sql, { accountId, mode })),
        ),
      }),
      { role: 'viewer' },
    )
    .get(
      '/overview/first-steps',
      async ({ caller }): Promise<{ data: FirstSteps }> => ({
        data: await read(caller, sql => getFirstSteps(sql, caller)),
      }),
      { role: 'viewer' },
    )
}

/** @throws {DomainError} VALIDATION_ERROR unless it is an IANA time zone. */
const checkZone = (zone: string) => {
  // Intl also accepts "+02:00", which PostgreSQL reads with the opposite sign.
  if (/^[A-Za-z]/.test(zone)) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: zone })
      return
    } catch {
      // Refused below.
    }
  }
  throw unknownZone()
}

const unknownZone = () => invalid('zone', 'must be a time zone, such as Europe/Berlin')
