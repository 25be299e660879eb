import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addToCache, cachePath } from '../../../src/local/cache'
import { run } from './run'

/**
 * Downloads the program `artifact`, such as `org.openapitools:openapi-generator-cli:7.17.0`, from Maven Central into the
 * cache. Returns the path of its jar; or why it cannot be had here, in one line.
 */
export const downloadFromMaven = async (
  artifact: string,
): Promise<{ jar: string } | { missing: string }> => {
  const [, name, version] = artifact.split(':')
  const folder = cachePath(`maven-${name}-${version}`)
  const jar = join(folder, `${name}-${version}.jar`)
  if (existsSync(jar)) return { jar }
  const missing = (reason: string) => ({
    missing: `Not run: ${artifact} cannot be downloaded (${reason}).`,
  })
  if (Bun.which('mvn') === null || Bun.which('java') === null)
    return missing('mvn or java is not on PATH')
  try {
    await addToCache(folder, async dir => {
      await run([
        ...['mvn', '--quiet', 'dependency:copy'],
        `-Dartifact=${artifact}`,
        `-DoutputDirectory=${dir}`,
      ])
      return dir
    })
    return { jar }
  } catch (error) {
    return missing(String(error).split('\n').at(-1) ?? '')
  }
}
