import { Elysia, t } from 'elysia'
import type { Sql } from '../../db/connect'
import { withCaller } from '../../http/request/caller'
import { OneOf } from '../../http/schema'
import { findIncident } from '../../webhooks/deliveries/incident'
import { reportWebhookHealth } from '../../webhooks/endpoints/health'
import { DASHBOARD_API } from '../paths'

/** How far back one looks, in hours. A query is text. */
export const HOURS = ['1', '6', '24', '168', '720'] as const

/** How deliveries are doing: what fails at whom, and how each webhook stands. */
export const incidentRoutes = ({ sql }: { sql: Sql }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .get(
      '/incident',
      async ({ caller, query }) => ({
        data: await findIncident(sql, caller, Number(query.hours ?? 1)),
      }),
      { query: t.Object({ hours: t.Optional(OneOf(HOURS)) }) },
    )
    .get('/webhook-standing', async ({ caller }) => ({
      data: await reportWebhookHealth(sql, caller),
    }))
