import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../errors'
import { buildTemporal, downloadTemporal } from './fetch-temporal'

/** The first server that starts workflows eagerly by default, as the design's throughput needs. */
const MIN_SERVER = '1.29.0'

/**
 * The path of a Temporal CLI that can run a server: `temporal` on PATH, else the one in the cache, else
 * the SDK's download or, where downloads are closed, a build with Go (about 2 minutes), into the cache.
 * @throws {StartError} saying what was tried and what to do, when none of this gives one.
 */
export const findTemporal = async (onProgress: (text: string) => void): Promise<string> => {
  const onPath = Bun.which('temporal')
  if (onPath !== null && isUsable(onPath)) return onPath
  const cache = cacheDir()
  const cached = join(cache, 'bin', 'temporal')
  if (existsSync(cached) && isUsable(cached)) return cached

  const tried = [
    onPath === null
      ? 'there is no `temporal` on PATH'
      : `${onPath} has no server ${MIN_SERVER} or newer`,
  ]
  for (const fetchInto of [downloadTemporal, buildTemporal]) {
    try {
      await install(cache, cached, dir => fetchInto(dir, onProgress))
      return cached
    } catch (error) {
      tried.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new StartError(
    `Temporal is missing: ${tried.join('; ')}. Install the Temporal CLI (https://docs.temporal.io/cli) or Go, so that Arden can build it, or set TEMPORAL_ADDRESS to a Temporal that runs.`,
  )
}

/** Outside the clone, so that one build serves every clone and survives a clean one. */
const cacheDir = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'arden')

/** Fetches into a folder of its own and renames: an interrupted or a twin's run never leaves half a file. */
const install = async (
  cache: string,
  target: string,
  fetchInto: (dir: string) => Promise<void>,
) => {
  await mkdir(join(cache, 'bin'), { recursive: true })
  const unfinished = await mkdtemp(join(cache, 'unfinished-'))
  const onExit = () => rmSync(unfinished, { recursive: true, force: true })
  process.once('exit', onExit)
  try {
    await fetchInto(unfinished)
    const [file] = await readdir(unfinished)
    if (file === undefined || !isUsable(join(unfinished, file)))
      throw new Error('what came is no Temporal CLI that runs here')
    await rename(join(unfinished, file), target)
  } finally {
    process.off('exit', onExit)
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Whether it runs on this machine, and its server is new enough. */
const isUsable = (path: string): boolean => {
  try {
    const { stdout } = Bun.spawnSync([path, '--version'], { timeout: 10_000 })
    const version = /Server (\d+\.\d+\.\d+)/.exec(stdout.toString())?.[1]
    return version !== undefined && Bun.semver.order(version, MIN_SERVER) >= 0
  } catch {
    return false // Not executable, or of another architecture.
  }
}
