import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const FOLDERS = 'src,workflows,activities,test,bench,build,packages'

type SourceFile = { file: string; text: string }

/** Every file of TypeScript, with its path from the root of the repository. */
export const readSourceFiles = (): Promise<SourceFile[]> =>
  Promise.all(
    [...new Bun.Glob(`{${FOLDERS}}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT })]
      .filter(file => !file.includes('node_modules/'))
      .map(async file => ({ file, text: await Bun.file(join(ROOT, file)).text() })),
  )
