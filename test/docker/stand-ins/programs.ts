import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addToCache, cachePath } from '../../../src/local/cache'
import { run } from '../../support/tools/run'

/** Go's own programs use the machine's caches; a build of all takes ten minutes on two idle cores, once. */
const go = async (...args: string[]): Promise<string> => {
  if (Bun.which('go') === null)
    throw new Error(
      'The stand-ins are built with Go, which is not on PATH. Install Go 1.26 or newer.',
    )
  // A workspace names modules that are not part of a module's download.
  return run(['nice', '-n', '10', 'go', ...args], { env: { CGO_ENABLED: '0', GOWORK: 'off' } })
}

/** The folder of a module's sources, such as `go.temporal.io/server@v1.32.0`. */
export const moduleFolder = async (module: string): Promise<string> =>
  JSON.parse(await go('mod', 'download', '-json', module)).Dir

/**
 * The file `name`, built from `program`, a folder of `module`, with the versions that the module itself names;
 * `go install` does not build a module that replaces others. Kept in the cache.
 */
export const buildProgram = async (
  name: string,
  module: string,
  program: string,
  flags: readonly string[] = [],
): Promise<string> => {
  const file = cachePath('stand-ins', `${name}-${module.split('@')[1]}`, name)
  if (!existsSync(file))
    await addToCache(join(file, '..'), async dir => {
      const folder = await moduleFolder(module)
      await go('build', '-C', folder, '-trimpath', ...flags, '-o', join(dir, name), program)
      return dir
    })
  return file
}
