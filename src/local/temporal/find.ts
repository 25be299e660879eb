import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../errors'
import { addToCache, cachePath } from '../cache'
import { buildTemporal, downloadTemporal } from './install'

/** The first server that starts workflows eagerly by default, which throughput depends on. */
const MIN_SERVER = '1.29.0'

/**
 * The path of a Temporal CLI that can run a server: `temporal` on PATH, or in the cache, or the SDK's
 * download, or a build with Go (about 2 minutes). The latter two go into the cache.
 * @throws {StartError} with everything that was tried and what to do.
 */
export const findTemporal = async (onProgress: (text: string) => void): Promise<string> => {
  const onPath = Bun.which('temporal')
  if (onPath !== null && isUsable(onPath)) return onPath
  const path = cachePath('bin', 'temporal')
  if (existsSync(path) && isUsable(path)) return path

  const tried = [
    onPath === null
      ? 'there is no `temporal` on PATH'
      : `${onPath} has no server ${MIN_SERVER} or newer`,
  ]
  for (const fetchInto of [downloadTemporal, buildTemporal]) {
    try {
      await installWith(path, dir => fetchInto(dir, onProgress))
      return path
    } catch (error) {
      tried.push(error instanceof Error ? error.message : String(error))
    }
  }
  throw new StartError(
    `Temporal is missing: ${tried.join('; ')}. Install the Temporal CLI (https://docs.temporal.io/cli) or Go, so that Arden can build it, or set TEMPORAL_ADDRESS to a running Temporal.`,
  )
}

/** Adds the file to the cache after it has run successfully. */
const installWith = (target: string, fetchInto: (dir: string) => Promise<void>) =>
  addToCache(target, async dir => {
    await fetchInto(dir)
    const [file] = await readdir(dir)
    if (file === undefined || !isUsable(join(dir, file)))
      throw new Error('the result is not a Temporal CLI that runs on this machine')
    return join(dir, file)
  })

/** Whether it runs on this machine and its server is new enough. */
const isUsable = (path: string): boolean => {
  try {
    const { stdout } = Bun.spawnSync([path, '--version'], { timeout: 10_000 })
    const version = /Server (\d+\.\d+\.\d+)/.exec(stdout.toString())?.[1]
    return version !== undefined && Bun.semver.order(version, MIN_SERVER) >= 0
  } catch {
    return false // Not executable, or for another architecture.
  }
}
