import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * The path of `name` in the cache, which may not exist. The cache is outside the clone, so that all clones
 * share it.
 */
export const cachePath = (...name: string[]): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'arden', ...name)

/**
 * Adds `target` to the cache. `make` gets an empty folder and returns the path in it that is renamed to
 * `target`, so an interrupted or concurrent run never leaves a partial result.
 */
export const addToCache = async (
  target: string,
  make: (dir: string) => Promise<string>,
): Promise<void> => {
  await mkdir(dirname(target), { recursive: true })
  const unfinished = await mkdtemp(cachePath('unfinished-'))
  const onExit = () => rmSync(unfinished, { recursive: true, force: true })
  process.once('exit', onExit)
  try {
    const created = await make(unfinished)
    await rename(created, target).catch(error => {
      // A concurrent run was faster. Unlike a file, a non-empty folder cannot be replaced.
      if (!existsSync(target)) throw error
    })
  } finally {
    process.off('exit', onExit)
    await rm(unfinished, { recursive: true, force: true })
  }
}
