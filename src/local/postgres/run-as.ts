import { chownSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartError } from '../../errors'

type SystemUser = { uid: number; gid: number }

/** How to run a program: as which user, and with which command prefix. */
export type RunAs = { user?: SystemUser | undefined; prefix: string[] }

/**
 * PostgreSQL refuses to run as root. As root, this runs it as the owner of `dir`, or as `nobody` if root owns
 * `dir`, which is then given to `nobody`. If that user may not enter a parent folder of `paths` (a clone in
 * /root), `setpriv` grants the one capability that ignores file modes.
 * @throws {StartError} when neither is possible.
 */
export const resolveRunAs = async (dir: string, paths: string[]): Promise<RunAs> => {
  if (process.getuid?.() !== 0) return { prefix: [] }
  const { uid, gid } = statSync(dir)
  const user = uid === 0 ? await findNobody() : { uid, gid }
  if (uid === 0) chownSync(dir, user.uid, user.gid)
  const closed = paths.flatMap(ancestors).find(folder => !mayEnter(user, folder))
  if (closed === undefined) return { user, prefix: [] }
  const setpriv = Bun.which('setpriv')
  if (setpriv === null)
    throw new StartError(
      `PostgreSQL does not run as root, and the user that it runs as instead has no access to ${closed}. Run Arden as an ordinary user, install setpriv (util-linux), or set DATABASE_URL.`,
    )
  return {
    prefix: [
      setpriv,
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      '--clear-groups',
      '--inh-caps=-all,+dac_override',
      '--ambient-caps=-all,+dac_override',
      // Without this, access(2) ignores the capability, and initdb does not find its own files.
      '--securebits=+no_setuid_fixup',
      '--',
    ],
  }
}

const findNobody = async (): Promise<SystemUser> => {
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(
    await readFile('/etc/passwd', 'utf8').catch(() => ''),
  )
  if (line === null)
    throw new StartError(
      'PostgreSQL does not run as root, and there is no user "nobody" to run it as. Run Arden as an ordinary user, or set DATABASE_URL.',
    )
  return { uid: Number(line[1]), gid: Number(line[2]) }
}

const ancestors = (path: string): string[] => {
  const parent = dirname(path)
  return parent === path ? [path] : [...ancestors(parent), path]
}

/** Whether the mode of `folder` permits `user` to enter it. */
const mayEnter = (user: SystemUser, folder: string) => {
  const { mode, uid, gid } = statSync(folder)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & 1) === 1
}
