import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../../../build/compile'
import { postgresArchive } from '../../../build/postgres-archive'
import { ROOT } from '../../../build/root'
import { isTarget, thisPlatform } from '../../../build/targets'
import { testEnvironment } from '../environment'
import { until } from '../until'

/** Test files have processes of their own, and all of one run this folder, which goes with the run. */
const FOLDER = join(tmpdir(), 'arden-binary')
const BUILD_LIMIT_S = 60

/** The path of the binary, built from the sources as they are, once in a test run. */
export const builtArden = async (): Promise<string> => {
  const binary = join(FOLDER, 'arden')
  const failed = join(FOLDER, 'failed')
  const first = await mkdir(FOLDER).then(
    () => true,
    () => false,
  )
  if (first) {
    try {
      await build(join(FOLDER, 'unfinished'))
      await rename(join(FOLDER, 'unfinished'), binary)
    } catch (error) {
      await Bun.write(failed, Bun.inspect(error))
    }
  }
  await until('the binary is built', () => existsSync(binary) || existsSync(failed), BUILD_LIMIT_S)
  if (existsSync(failed)) throw new Error(`The build failed: ${await Bun.file(failed).text()}`)
  return binary
}

const build = async (file: string) => {
  if (!isTarget(thisPlatform)) throw new Error(`There is no build for ${thisPlatform}.`)
  const postgres = await postgresArchive(thisPlatform, join(ROOT, 'dist', 'parts'))
  await compile(thisPlatform, { workflows: testEnvironment().workflowBundle, postgres }, file)
}
