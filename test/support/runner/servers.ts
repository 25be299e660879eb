import { chmodSync, rmSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../../src/local/postgres/server'
import { isRunning, stopOrphanedServer } from '../../../src/local/process'
import { createProgressLine } from '../../../src/local/progress-line'
import { findTemporal } from '../../../src/local/temporal/find'
import { startTemporal } from '../../../src/local/temporal/server'
import { workflowBundle } from '../../../src/temporal/bundle'
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes'
import { createTemplate, type DatabaseServer } from '../database'
import type { TestEnvironment } from '../environment'

type Stop = () => Promise<unknown>

const DIR_PREFIX = 'arden-test-'

/**
 * Brings up what all tests of a run share, in a folder that goes with this process. `onStarted` gets a
 * stop for each server as soon as it runs, and `say` a line when it is ready. Also returns a folder for
 * what the tests write, which goes with the rest.
 */
export const startServers = async (
  onStarted: (stop: Stop) => void,
  say: (line: string) => void,
): Promise<{ environment: TestEnvironment; folder: string }> => {
  await sweep()
  const dir = await mkdtemp(join(tmpdir(), `${DIR_PREFIX}${process.pid}-`))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const folder = join(dir, 'tmp')
  await mkdir(folder)
  chmodSync(dir, 0o711) // PostgreSQL, which may run as another user, has to pass through.

  const timed = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work
    say(`${what} is ready (${((performance.now() - began) / 1000).toFixed(1)} s)`)
    return result
  }
  const [database, temporalAddress, workflows] = await Promise.all([
    timed('PostgreSQL', bringUpPostgres(join(dir, 'postgres'), onStarted)),
    timed('Temporal', bringUpTemporal(join(dir, 'temporal'), onStarted)),
    timed('Workflow code', bundle(join(dir, 'workflows.js'))),
  ])
  return { environment: { ...database, temporalAddress, workflowBundle: workflows }, folder }
}

/** Ends and removes what an earlier run of this user left that was killed before it could. */
const sweep = async () => {
  const left = new RegExp(`^${DIR_PREFIX}(\\d+)-`)
  for (const name of await readdir(tmpdir())) {
    const pid = left.exec(name)?.[1]
    if (pid === undefined || (await isRunning(Number(pid)))) continue
    const dir = join(tmpdir(), name)
    if (statSync(dir, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue
    await stopOrphanedServer(join(dir, 'postgres'), 'SIGINT')
    await stopOrphanedServer(join(dir, 'temporal'), 'SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

const bringUpPostgres = async (
  dir: string,
  onStarted: (stop: Stop) => void,
): Promise<DatabaseServer> => {
  const { url, adminUrl, stop } = await startPostgres({ dir, durable: false })
  onStarted(stop)
  const server = { databaseUrl: url, databaseAdminUrl: adminUrl }
  await createTemplate(server)
  return server
}

const bringUpTemporal = async (dir: string, onStarted: (stop: Stop) => void): Promise<string> => {
  const progress = createProgressLine()
  const path = await findTemporal(progress)
  progress.end()
  const { address, stop } = await startTemporal({
    path,
    dir,
    port: 0,
    searchAttributes: SEARCH_ATTRIBUTES,
  })
  onStarted(stop)
  return address
}

const bundle = async (file: string): Promise<string> => {
  const { code } = await workflowBundle()
  await writeFile(file, code)
  return file
}
