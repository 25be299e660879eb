import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackage } from '../../packages/sdk/build/package'

const PACKAGE = join(import.meta.dir, '../../packages/sdk')

/** A folder of a user of the package: what is published, installed, and nothing else. */
export const installPackage = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'arden-sdk-'))
  const installed = join(folder, 'node_modules/@arden/sdk')
  await buildPackage(join(installed, 'dist'))
  for (const file of ['package.json', 'vectors.json'])
    await cp(join(PACKAGE, file), join(installed, file))
  await Bun.write(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  return folder
}

/** Writes a program of ours to that folder as JavaScript: all it uses is in it, but the package. */
export const addProgram = async (
  folder: string,
  source: string,
  target: 'node' | 'bun' = 'node',
  /** Another package that is used in place of one, by its name. */
  alias: { [name: string]: string } = {},
): Promise<string> => {
  const { outputs } = await Bun.build({
    plugins: Object.entries(alias).map(([name, path]) => ({
      name,
      setup: build => {
        build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
          path: Bun.resolveSync(path, import.meta.dir),
        }))
      },
    })),
    entrypoints: [source],
    outdir: folder,
    target,
    external: ['@arden/sdk'],
  })
  const [program] = outputs
  if (program === undefined) throw new Error(`${source} was built to nothing`)
  return program.path
}
