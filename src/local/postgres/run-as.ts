import { chownSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartError } from '../../errors'

type SystemUser = { uid: number; gid: number }

/** How to run a program: as whom, and with which words before its own. */
export type RunAs = { user?: SystemUser | undefined; prefix: string[] }

/**
 * PostgreSQL refuses to run as root. For root this answers how to run it as the owner of `dir`, or as
 * `nobody` when root owns it, in which case `dir` is given to `nobody`. Where a folder above `paths` is
 * closed to that user (a clone in /root), `setpriv` lets it pass: the program keeps the one capability
 * that ignores file modes, and no other.
 * @throws {StartError} where neither is possible.
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
      `PostgreSQL does not run as root, and the user it runs as instead may not enter ${closed}. Run Arden as an ordinary user, install setpriv (util-linux), or set DATABASE_URL.`,
    )
  return {
    prefix: [
      setpriv,
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      '--clear-groups',
      '--inh-caps=-all,+dac_override',
      '--ambient-caps=-all,+dac_override',
      // Without this, access(2) forgets the capability, and initdb does not find its own files.
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

/** Whether the mode bits let `user` pass through `folder`: the owner's, else the group's, else the others'. */
const mayEnter = (user: SystemUser, folder: string) => {
  const { mode, uid, gid } = statSync(folder)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & 1) === 1
}
