import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * `bun packages/sdk/build/package.ts` builds `dist`: one module without dependencies, and its types.
 */
const PACKAGE = join(import.meta.dir, '..')
/** Packages bundled into the module, whose licences are added to the package. */
const BUNDLED = ['eventsource-parser', 'openapi-fetch']

/**
 * Writes the module, the types and the licences to `folder`. Rejects with the output of the compiler.
 */
export const buildPackage = async (folder = join(PACKAGE, 'dist')): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all([writeModule(folder), writeTypes(folder), ...BUNDLED.map(copyLicence(folder))])
}

/** For browsers, so that it uses no API of Node or Bun. */
const writeModule = (folder: string) =>
  Bun.build({
    entrypoints: [join(PACKAGE, 'src/index.ts')],
    outdir: folder,
    target: 'browser',
    format: 'esm',
  })

const writeTypes = async (folder: string) => {
  const tsc = Bun.spawn(
    ['bunx', '--bun', '--no-install', 'tsc', '-p', PACKAGE, '--outDir', folder],
    { stdin: 'ignore', stdout: 'pipe' },
  )
  const [output, code] = await Promise.all([tsc.stdout.text(), tsc.exited])
  if (code !== 0) throw new Error(`The types of the SDK do not compile:\n${output}`)
}

const copyLicence = (folder: string) => (name: string) =>
  cp(join(PACKAGE, '../../node_modules', name, 'LICENSE'), join(folder, `LICENSE.${name}.txt`))

if (import.meta.main) await buildPackage()
