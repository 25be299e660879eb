import { Elysia, t } from 'elysia'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { OneOf } from '../../http/schema'
import { findIncident } from '../../webhooks/deliveries/incident'
import { reportWebhookHealth } from '../../webhooks/endpoints/health'
import type { Cipher } from '../../webhooks/signing/encryption'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

/** Time ranges, in hours; text because they come from a query string. */
export const HOURS = ['1', '6', '24', '168', '720'] as const

/** Failing hosts and the health of each webhook. */
export const incidentRoutes = ({ read, cipher }: { read: Read; cipher: Cipher }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/incident',
      async ({ caller, query }) => ({
        data: await read(caller, sql => findIncident(sql, caller, Number(query.hours ?? 1))),
      }),
      { role: 'viewer', query: t.Object({ hours: t.Optional(OneOf(HOURS)) }) },
    )
    .get(
      '/webhook-health',
      async ({ caller }) => ({
        data: await read(caller, sql => reportWebhookHealth(sql, cipher, caller)),
      }),
      {
        role: 'viewer',
      },
    )
