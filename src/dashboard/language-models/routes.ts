import { Elysia } from 'elysia'
import {
  type ProviderTestRun,
  readProviderTest,
  requestProviderTest,
} from '../../content/generations/provider-tests/store'
import { type Change, withChanges } from '../../http/change'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { EmptyBody } from '../../http/schema'
import { type ReportedModelProvider, readModelProviders } from '../../temporal/heartbeat'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'

export type LanguageModels = {
  /** In the order in which they are called. Null while no worker runs that says so. */
  providers: ReportedModelProvider[] | null
  test: ProviderTestRun | null
}

/** The language models of the workers, and a small call of each, for owners only: they name hosts and prices. */
export const languageModelRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withChanges)
    .use(withRole)
    .get(
      '/language-models',
      async ({ caller }): Promise<{ data: LanguageModels }> => ({
        data: await read(caller, async sql => ({
          providers: (await readModelProviders(sql)) ?? null,
          test: (await readProviderTest(sql)) ?? null,
        })),
      }),
      { role: 'owner' },
    )
    .post(
      '/language-models/test',
      ctx => change(ctx, 202, tx => requestProviderTest(tx, ctx.caller)),
      { role: 'owner', changes: ['language-models'], body: EmptyBody },
    )
