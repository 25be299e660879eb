import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * The path of `name` in the cache, which may not exist. The cache lies outside the clone, so that what took
 * long to make serves every clone, and survives a clean one.
 */
export const cachePath = (...name: string[]): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'arden', ...name)

/**
 * Makes `target`, a path in the cache. `make` gets an empty folder, and answers what in it is to be
 * `target`, which gets that name when it is whole: an interrupted or a twin's run never leaves half of it.
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
    const made = await make(unfinished)
    await rename(made, target).catch(error => {
      // A twin was faster; unlike a file, a folder that is not empty cannot be replaced.
      if (!existsSync(target)) throw error
    })
  } finally {
    process.off('exit', onExit)
    await rm(unfinished, { recursive: true, force: true })
  }
}
