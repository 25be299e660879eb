import { appendFileSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Copies the folder of a stopped local PostgreSQL, for a second server with the same history. With `signal`, the copy
 * starts as a standby, or recovers and is promoted at once, with a timeline of its own; `settings` are PostgreSQL's.
 */
export const copyServer = (
  from: string,
  to: string,
  signal: 'standby.signal' | 'recovery.signal',
  settings: Record<string, string>,
): void => {
  const { exitCode, stderr } = Bun.spawnSync(['cp', '-a', from, to])
  if (exitCode !== 0) throw new Error(`cp: ${stderr}`)
  const file = join(to, 'data', signal)
  writeFileSync(file, '')
  const { uid, gid } = statSync(join(to, 'data'))
  chownSync(file, uid, gid)
  changeSettings(to, settings)
}

/** Settings that the server in `dir` reads when it starts. */
const changeSettings = (dir: string, settings: Record<string, string>): void => {
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  )
  appendFileSync(join(dir, 'data', 'postgresql.auto.conf'), lines.join(''))
}
