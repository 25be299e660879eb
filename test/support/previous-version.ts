import { mkdtemp, readdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const MIGRATIONS = 'src/db/migrations'

/**
 * The commit before the newest migration was added: what runs while that one is applied. Undefined where
 * the history does not reach back to it (a shallow clone), and where there is no git.
 */
export const previousVersion = async (): Promise<string | undefined> => {
  const isSql = (name: string) => name.endsWith('.sql')
  const present = (await readdir(join(ROOT, MIGRATIONS))).filter(isSql).length
  const committed = await git(['ls-tree', '--name-only', 'HEAD', `${MIGRATIONS}/`])
  if (committed === undefined) return undefined
  if (present > committed.split('\n').filter(isSql).length) return 'HEAD'
  const newest = ['log', '-1', '--format=%H', '--diff-filter=A', '--', `${MIGRATIONS}/*.sql`]
  return git(['rev-parse', '--verify', '--quiet', `${await git(newest)}^`])
}

/** The sources of `commit` in a folder of their own, with the packages that are installed here. */
export const checkOut = async (commit: string): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'arden-previous-'))
  const env = { GIT_INDEX_FILE: join(dir, '.index') }
  await git(['read-tree', commit], env)
  await git(['checkout-index', '--all', `--prefix=${dir}/`], env)
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

/** What it printed; undefined when it failed. */
const git = async (args: string[], env: Record<string, string> = {}) => {
  if (Bun.which('git') === null) return undefined
  const run = Bun.spawn(['git', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stderr: 'ignore',
  })
  const printed = await run.stdout.text()
  return (await run.exited) === 0 ? printed.trim() : undefined
}
