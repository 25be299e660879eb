import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

const MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'
/** A download from which nothing came for this long is given up: a closed network may just be silent. */
const STALL_MS = 20_000
/** On two cores the build takes 2 minutes. */
const BUILD_LIMIT_MS = 30 * 60_000

/** The SDK's own download of the CLI, into `dir`, which holds nothing else. Rejects with one sentence. */
export const downloadTemporal = async (
  dir: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  // A process of its own: the SDK has no way to stop a download, nor to do it without its runtime,
  // which can be set up only once per process.
  const script = join(import.meta.dir, 'download-temporal.ts')
  const child = Bun.spawn([process.execPath, script, dir], { stdout: 'ignore', stderr: 'pipe' })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let size = 0
  let grownAt = Date.now()
  const watch = setInterval(async () => {
    const now = await sizeOf(dir)
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
    throw new Error(`the download stood still for ${STALL_MS / 1000} s`)
  if (code !== 0) throw new Error(`the download failed (${errors.trim()})`)
}

/** Builds the CLI from source into `dir`, which holds nothing else. Rejects with one sentence. */
export const buildTemporal = async (
  dir: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  const go = Bun.which('go')
  if (go === null) throw new Error('there is no `go` on PATH to build it with')
  const child = Bun.spawn([go, 'install', '-v', MODULE], {
    // Go looks for its caches through HOME only, which a service may lack.
    env: { ...process.env, HOME: homedir(), GOBIN: dir, CGO_ENABLED: '0' },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: BUILD_LIMIT_MS,
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  const began = Date.now()
  let packages = 0
  let last = ''
  const show = () => {
    const seconds = Math.round((Date.now() - began) / 1000)
    onProgress(`Building Temporal from source, once: ${packages} packages, ${seconds} s`)
  }
  const ticking = setInterval(show, 1000)
  show()
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    for (const line of chunk.split('\n').filter(Boolean)) {
      last = line
      // Go names each package that it compiles, and each module that it fetches ("go: downloading").
      if (!line.startsWith('go: ')) packages++
    }
  }
  const code = await child.exited
  clearInterval(ticking)
  process.off('exit', kill)
  if (code !== 0) throw new Error(`\`go install ${MODULE}\` failed (${last})`)
}

const sizeOf = async (dir: string): Promise<number> => {
  const files = await readdir(dir).catch(() => [])
  const sizes = await Promise.all(
    files.map(file => stat(join(dir, file)).catch(() => ({ size: 0 }))),
  )
  return sizes.reduce((sum, { size }) => sum + size, 0)
}
