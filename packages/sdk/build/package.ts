import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** `bun packages/sdk/build/package.ts` makes `dist`: one module without a dependency, and its types. */
const PACKAGE = join(import.meta.dir, '..')
/** Packages whose code is in the module, so their licences are in the package. */
const BUNDLED = ['eventsource-parser', 'openapi-fetch']

/** Writes the module, the types and the licences to `folder`. Rejects with what the compilers say. */
export const buildPackage = async (folder = join(PACKAGE, 'dist')): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all([writeModule(folder), writeTypes(folder), ...BUNDLED.map(copyLicence(folder))])
}

/** For browsers, so that nothing of Node or Bun can get in. */
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
  const [said, code] = await Promise.all([tsc.stdout.text(), tsc.exited])
  if (code !== 0) throw new Error(`The types of the SDK do not compile:\n${said}`)
}

const copyLicence = (folder: string) => (name: string) =>
  cp(join(PACKAGE, '../../node_modules', name, 'LICENSE'), join(folder, `LICENSE.${name}.txt`))

if (import.meta.main) await buildPackage()
