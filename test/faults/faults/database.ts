import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../../src/db/connect'
import { isRunning } from '../../../src/local/process'
import { type Fault, hold } from '../fault'

/** Room for PostgreSQL's files and write-ahead log during a run. */
const DISK = '512m'

/** What happens to PostgreSQL. */
export const databaseFaults: Fault[] = [
  {
    name: 'held-snapshot',
    about: 'a transaction that reads, as pg_dump does, stays open during the whole load',
    run: async ({ parts, reached, say }) => {
      const sql = connect(parts.postgres.current().url, { name: 'snapshot', max: 1 })
      const reserved = await sql.reserve()
      await reserved`SET idle_in_transaction_session_timeout = 0`
      await reserved`BEGIN ISOLATION LEVEL REPEATABLE READ`
      await reserved`SELECT count(*) FROM events`
      say('held-snapshot begins')
      while (reached() < 1) await Bun.sleep(LOOK_MS)
      await reserved`COMMIT`
      reserved.release()
      await sql.end()
    },
  },
  {
    name: 'full-disk',
    about: "PostgreSQL's disk is full, and has room again",
    missing: () =>
      process.platform === 'linux' && process.getuid?.() === 0
        ? undefined
        : 'it mounts a file system of its own, which needs Linux and root',
    beforePostgres: dir => {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      run('mount', '-t', 'tmpfs', '-o', `size=${DISK},mode=0700`, 'tmpfs', dir)
      const unmount = () => run('umount', '--lazy', dir)
      process.once('exit', unmount)
      return () => {
        process.off('exit', unmount)
        unmount()
      }
    },
    run: hold('full-disk', async ({ parts: { postgres }, say }) => {
      const ballast = join(postgres.dir, 'ballast')
      fill(ballast)
      return async () => {
        rmSync(ballast)
        if (await isRunning(postgres.current().pid)) return
        say('PostgreSQL had stopped; starting it again')
        await postgres.start()
      }
    }),
  },
]

const LOOK_MS = 100

const run = (...command: string[]) => {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
}

/** Writes until there is no space left. */
const fill = (file: string) => {
  const chunk = Buffer.alloc(64 * 1024)
  for (;;)
    try {
      writeFileSync(file, chunk, { flag: 'a' })
    } catch {
      return
    }
}
