import { existsSync } from 'node:fs'
import { addToCache, cachePath } from '../../../src/local/cache'
import { run } from './run'

/**
 * Installs `requirement`, such as `schemathesis==4.32.5`, from PyPI into the cache. Returns the folder, which is the
 * `PYTHONPATH` of its programs in `bin`; or why it cannot be had here, in one line.
 */
export const installFromPyPI = async (
  requirement: string,
): Promise<{ folder: string } | { missing: string }> => {
  const folder = cachePath(`python-${requirement}`)
  if (existsSync(folder)) return { folder }
  const missing = (reason: string) => ({
    missing: `Not run: ${requirement} cannot be installed (${reason}).`,
  })
  if (Bun.which('python3') === null) return missing('python3 is not on PATH')
  try {
    await addToCache(folder, async dir => {
      await run(['python3', '-m', 'pip', 'install', '--quiet', '--target', dir, requirement])
      return dir
    })
    return { folder }
  } catch (error) {
    return missing(String(error).split('\n').at(-1) ?? '')
  }
}
