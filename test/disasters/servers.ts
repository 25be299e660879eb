import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../../src/db/connect'
import type { Fault } from '../faults/fault'
import type { Parts, Postgres } from '../faults/parts'
import type { Stage } from './disaster'

/** What a second server takes over: the one of the fault has it on its command line. */
const MAX_CONNECTIONS = 200
/** A base backup begins with a checkpoint, which takes nine tenths of this: 5 minutes by default. */
const CHECKPOINT_TIMEOUT = '30s'

type Folder = 'ARCHIVE' | 'BACKUP' | 'RESTORED' | 'STANDBY'

/** Gives the operator the URLs of PostgreSQL, and the paths of folders; ARCHIVE is created. */
export const equip = async (
  { operator, dir }: Stage,
  postgres: Postgres,
  ...folders: Folder[]
): Promise<void> => {
  const { url, adminUrl } = postgres.current()
  const second = (from: string) => {
    const moved = new URL(from)
    moved.port = String(operator.secondPort)
    return moved.href
  }
  // Below the folder of the server, which belongs to its user.
  const paths = folders.map(name => [name, join(postgres.dir, name.toLowerCase())] as const)
  await operator.set({
    DATABASE_URL: url,
    ADMIN_URL: adminUrl,
    SECOND_DATABASE_URL: second(url),
    SECOND_ADMIN_URL: second(adminUrl),
    PGDATA: join(postgres.dir, 'data'),
    ARDEN_DATA_DIR: join(dir, 'none'),
    ...Object.fromEntries(paths),
  })
  for (const [name, path] of paths)
    if (name === 'ARCHIVE') {
      await mkdir(path)
      await chmod(path, 0o777)
    }
}

/** PostgreSQL archives before Arden starts. */
export const archiving =
  (stage: Stage): NonNullable<Fault['beforeArden']> =>
  async postgres => {
    await equip(stage, postgres, 'ARCHIVE', 'BACKUP', 'RESTORED')
    await asSuperuser(postgres, async sql => {
      await sql.unsafe(`ALTER SYSTEM SET max_connections = ${MAX_CONNECTIONS}`)
      await sql.unsafe(`ALTER SYSTEM SET checkpoint_timeout = '${CHECKPOINT_TIMEOUT}'`)
    })
    await stage.operator.follow('archive')
    await postgres.stop()
    await postgres.start()
    return async () => {}
  }

/** Work as PostgreSQL's superuser. */
export const asSuperuser = async <T>(
  postgres: Postgres,
  work: (sql: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> => {
  const sql = connect(postgres.current().adminUrl, { name: 'disasters', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Stops the second server, which the operator started, at the end. */
export const stopAtEnd = ({ operator, onEnd }: Stage, folder: 'RESTORED' | 'STANDBY'): void =>
  onEnd(() => operator.type(`pg_ctl --pgdata="$${folder}" --mode=immediate stop || true`))

/** All processes of Arden find PostgreSQL at `port` from now on. */
export const moveTo = ({ serve, workers }: Parts, port: number): void => {
  for (const one of [serve, ...workers]) one.postgres.redirect(port)
}
