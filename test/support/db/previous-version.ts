import { mkdtemp, readdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GENERATION } from '../../../src/db/functions'

const ROOT = join(import.meta.dir, '../../..')
const MIGRATIONS = 'src/db/migrations'
const FUNCTIONS = 'src/db/functions/index.ts'
const BASELINE = `${MIGRATIONS}/001_baseline.sql`
const RAISED = '^export const GENERATION'

/**
 * The commit before the schema last changed (a migration was added, or the generation of the functions raised): what
 * runs while the change is applied. Undefined where the history does not reach back to it (a shallow clone), where
 * there is no git, and where nothing has changed since the baseline.
 *
 * Before the first release the baseline itself can change, and a database with another one is refused. Then it is the
 * commit of that change, and undefined until there is one.
 */
export const previousVersion = async (): Promise<string | undefined> => {
  const present = (await readdir(join(ROOT, MIGRATIONS))).filter(isSql).length
  if (present === 1 && GENERATION === 1) return undefined
  const committed = await git(['ls-tree', '--name-only', 'HEAD', `${MIGRATIONS}/`])
  if (committed === undefined) return undefined
  if ((await git(['diff', '--quiet', 'HEAD', '--', BASELINE])) === undefined) return undefined
  const generation = new RegExp(`${RAISED}.* = (\\d+)`, 'm').exec(
    (await git(['show', `HEAD:${FUNCTIONS}`])) ?? '',
  )?.[1]
  if (present > committed.split('\n').filter(isSql).length || GENERATION > Number(generation))
    return 'HEAD'
  const added = await newest(['--diff-filter=A', '--', `${MIGRATIONS}/*.sql`])
  const raised = await newestRaise()
  // The later one of the two comes first.
  const change = (await git(['rev-list', '--topo-order', `${added}`, `${raised}`]))?.split('\n')[0]
  const before = await git(['rev-parse', '--verify', '--quiet', `${change}^`])
  if (before === undefined) return undefined
  const baseline = await newest(['--', BASELINE])
  const hasBaseline = await git(['merge-base', '--is-ancestor', `${baseline}`, before])
  return hasBaseline === undefined ? baseline : before
}

/** The commit that last raised the generation of the functions. */
export const newestRaise = () => newest(['-G', RAISED, '--', FUNCTIONS])

const newest = (of: string[]) => git(['log', '-1', '--format=%H', ...of])

const isSql = (name: string) => name.endsWith('.sql')

/** The sources of `commit` in a folder of their own, with the packages that are installed here. */
export const checkOut = async (commit: string): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'arden-previous-'))
  const env = { GIT_INDEX_FILE: join(dir, '.index') }
  await git(['read-tree', commit], env)
  await git(['checkout-index', '--all', `--prefix=${dir}/`], env)
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

/** The output of git; undefined when it failed. */
export const git = async (args: string[], env: Record<string, string> = {}) => {
  if (Bun.which('git') === null) return undefined
  const run = Bun.spawn(['git', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stderr: 'ignore',
  })
  const printed = await run.stdout.text()
  return (await run.exited) === 0 ? printed.trim() : undefined
}
