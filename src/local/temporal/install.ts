import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { goInstall } from './go-install'

const CLI = { module: 'github.com/temporalio/cli', version: 'v1.5.1', folders: ['cmd/temporal'] }
/**
 * A download that receives nothing for this long is stopped, in ms: a closed network may drop packets
 * silently.
 */
const STALL_MS = 20_000

/** Downloads the SDK's CLI into `dir`, an empty folder. Rejects with one sentence. */
export const downloadTemporal = async (
  dir: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  // In a child process: the SDK cannot stop a download, and its runtime can be set up only once per process.
  const arden = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, '../..', 'main.ts')]
  const child = Bun.spawn([process.execPath, ...arden, 'download-temporal', dir], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let size = 0
  let grownAt = Date.now()
  const watch = setInterval(async () => {
    const now = await folderSize(dir)
    if (now > size) grownAt = Date.now()
    size = now
    onProgress(`Downloading Temporal, once: ${Math.round(size / 1e6)} MB`)
    if (Date.now() - grownAt > STALL_MS) kill()
  }, 500)
  onProgress('Downloading Temporal, once: 0 MB')
  const errors = await child.stderr.text()
  const code = await child.exited
  clearInterval(watch)
  process.off('exit', kill)
  if (child.signalCode !== null)
    throw new Error(`the download received nothing for ${STALL_MS / 1000} s`)
  if (code !== 0) throw new Error(`the download failed (${errors.trim()})`)
}

/** Builds the CLI from source into `dir`, an empty folder. Rejects with one sentence. */
export const buildTemporal = (dir: string, onProgress: (text: string) => void): Promise<void> =>
  goInstall('Temporal', CLI, dir, onProgress)

const folderSize = async (dir: string): Promise<number> => {
  const files = await readdir(dir).catch(() => [])
  const sizes = await Promise.all(
    files.map(file => stat(join(dir, file)).catch(() => ({ size: 0 }))),
  )
  return sizes.reduce((sum, { size }) => sum + size, 0)
}
