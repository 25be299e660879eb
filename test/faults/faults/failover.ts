import { connect } from '../../../src/db/connect'
import { findPostgresBinaries } from '../../../src/local/postgres/binaries'
import {
  dataPath,
  prepareData,
  STOP_SIGNAL,
  serverEnvironment,
} from '../../../src/local/postgres/data'
import { startServer } from '../../../src/local/process'
import { copyServer } from '../../support/db/copy-server'
import { quietPort } from '../../support/network/quiet-ports'
import { until } from '../../support/until'
import { type Fault, hold } from '../fault'
import { type Link, startLink } from '../link'
import type { Postgres } from '../parts'

type Kind = 'synchronous' | 'asynchronous'

/** How far the asynchronous standby is behind, in ms: its replication connection is partitioned. */
const BEHIND_MS = 2_000

type Standby = { adminUrl: string; port: number; link: Link; stop: () => Promise<void> }

/** PostgreSQL is killed for good, and its standby promoted: the processes find it at their old address. */
export const failoverFault = (kind: Kind): Fault => {
  const name = `failover-${kind}`
  let standby: Standby | undefined
  return {
    name,
    about: `PostgreSQL fails over to ${kind === 'synchronous' ? 'a synchronous' : 'an asynchronous'} standby`,
    failover: kind,
    beforeArden: async (postgres, random) => {
      const port = await quietPort()
      const link = await startLink(Number(new URL(postgres.current().adminUrl).port), random)
      standby = await startStandby(postgres, port, link)
      await asAdmin(postgres.current().adminUrl, async sql => {
        await until('the standby follows', async () => {
          const [found] = await sql`SELECT FROM pg_stat_replication WHERE state = 'streaming'`
          return found !== undefined
        })
        if (kind === 'asynchronous') return
        await sql`ALTER SYSTEM SET synchronous_standby_names = '*'`
        await sql`SELECT pg_reload_conf()`
        await until('commits wait for the standby', async () => {
          const [found] = await sql`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`
          return found !== undefined
        })
      })
      return standby.stop
    },
    run: hold(name, async ({ parts }) => {
      if (standby === undefined) throw new Error('there is no standby')
      const { adminUrl, port, link } = standby
      if (kind === 'asynchronous') {
        link.set('partition')
        await Bun.sleep(BEHIND_MS)
      }
      await parts.postgres.kill()
      await asAdmin(adminUrl, async sql => {
        await sql`SELECT pg_promote()`
      })
      for (const one of [parts.serve, ...parts.workers]) one.postgres.redirect(port)
      return () => {}
    }),
  }
}

const startStandby = async (postgres: Postgres, port: number, link: Link): Promise<Standby> => {
  const dir = `${postgres.dir}-standby`
  const admin = new URL(postgres.current().adminUrl)
  await postgres.stop()
  copyServer(postgres.dir, dir, 'standby.signal', {
    primary_conninfo: `host=127.0.0.1 port=${link.port} user=${admin.username} password=${admin.password}`,
  })
  await postgres.start()
  const binaries = await findPostgresBinaries()
  const { prefix, user } = await prepareData(dir, binaries, true)
  const { stop } = await startServer({
    dir,
    prefix,
    user,
    command: [
      binaries.postgres,
      ...['-D', dataPath(dir), '-p', String(port), '-h', '127.0.0.1', '-k', '', '-N', '200'],
    ],
    env: serverEnvironment(),
    stopSignal: STOP_SIGNAL,
  })
  admin.port = String(port)
  return {
    adminUrl: admin.href,
    port,
    link,
    stop: async () => {
      await stop()
      link.stop()
    },
  }
}

const asAdmin = async (url: string, work: (sql: ReturnType<typeof connect>) => Promise<void>) => {
  const sql = connect(url, { name: 'faults', max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
