import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../build/root'
import { addToCache, cachePath } from '../../src/local/cache'
import { run } from '../support/tools/run'
import { until } from '../support/until'

/** Debian with systemd and PostgreSQL 15, and nothing of Arden. */
const RELEASE = 'bookworm'
const PACKAGES = 'systemd,systemd-sysv,dbus,postgresql,openssl,ca-certificates,libgcc-s1'
const SYSTEM = cachePath(`debian-${RELEASE}-systemd`)
const NEEDED = ['debootstrap', 'systemd-nspawn', 'unshare', 'nsenter']
/** A start of all units. */
const BOOT_S = 120

/** Why such a machine cannot run here, in one line; undefined where it can. */
export const noMachine = (): string | undefined => {
  const missing = NEEDED.filter(name => Bun.which(name) === null)
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'it starts a container, which needs Linux and root'
  return missing.length === 0 ? undefined : `${missing.join(', ')} is not installed`
}

type Machine = {
  /** Its systemd, as a process of this machine. */
  pid: number
  stop: () => Promise<void>
}

/**
 * Starts a Debian whose first process is systemd, in a container with a network of its own, which has loopback only.
 * The project is in /opt/arden, and each of `folders` in the path it names. What it changes is gone with `dir`.
 */
export const startMachine = async (
  dir: string,
  folders: Record<string, string>,
): Promise<Machine> => {
  if (!existsSync(SYSTEM))
    await addToCache(SYSTEM, async system => {
      await run(['debootstrap', '--variant=minbase', `--include=${PACKAGES}`, RELEASE, system])
      return system
    })
  const changed = join(dir, 'changed')
  const system = join(dir, 'system')
  for (const folder of [changed, system]) await mkdir(folder)
  const binds = Object.entries({ '/opt/arden': ROOT, ...folders }).map(
    ([to, from]) => `--bind-ro=${from}:${to}`,
  )
  const script = join(dir, 'boot.sh')
  await writeFile(
    script,
    [
      'set -e',
      // systemd needs the unified hierarchy; a machine with the older one has none of its controllers there.
      'umount --recursive /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup',
      `mount -t tmpfs tmpfs ${changed} && mkdir ${changed}/upper ${changed}/work`,
      `mount -t overlay -o lowerdir=${SYSTEM},upperdir=${changed}/upper,workdir=${changed}/work overlay ${system}`,
      `exec systemd-nspawn --directory=${system} --boot --register=no --keep-unit --private-network ` +
        `--machine=arden --console=read-only ${binds.join(' ')}`,
    ].join('\n'),
  )
  const log = Bun.file(join(dir, 'boot.log'))
  const child = Bun.spawn(['unshare', '--mount', '--propagation', 'private', 'bash', script], {
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  })
  const stop = async () => {
    child.kill('SIGTERM') // systemd-nspawn shuts the container down.
    await child.exited
  }
  /** The first child is another process at first. */
  const running = async () => {
    if (child.exitCode !== null) throw new Error(`it ended:\n${await log.text()}`)
    const children = await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()
    const pid = Number(children.trim().split(' ')[0])
    if (!(pid > 0)) return undefined
    const { stdout } = Bun.spawnSync([...inMachine(pid), 'systemctl', 'is-system-running'])
    return stdout.toString().trim() === 'running' ? pid : undefined
  }
  try {
    const pid = await until('all units of the container have started', running, BOOT_S)
    return { pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Prefix of a command that runs in the machine. */
export const inMachine = (pid: number): string[] => ['nsenter', `--target=${pid}`, '--all']
