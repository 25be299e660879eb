import type { BunPlugin } from 'bun'
import { buildFiles } from '../src/dashboard/bundle/pages'

/**
 * The source of a module that replaces src/dashboard/bundle/load-pages.ts in the binary and embeds the built
 * pages.
 */
export const embeddedPages = async (): Promise<string> => {
  const imports: string[] = []
  const embed = (file: string) => {
    imports.push(`import file${imports.length} from ${JSON.stringify(file)} with { type: 'file' }`)
    return `Bun.file(file${imports.length - 1})`
  }
  const assets = (await buildFiles()).map(({ path, type, ...encodings }) => {
    const members = Object.entries(encodings).map(
      ([encoding, file]) => `${encoding}: ${embed(file)}`,
    )
    return `  { path: ${JSON.stringify(path)}, type: ${JSON.stringify(type)}, ${members.join(', ')} },`
  })
  return [...imports, 'export const loadPages = async () => [', ...assets, ']'].join('\n')
}

/**
 * Replaces src/dashboard/bundle/load-pages.ts by `pages`, the source from `embeddedPages()`. Created before,
 * because a build that waits for another build inside a plugin never ends.
 */
export const pagesPlugin = (pages: string): BunPlugin => ({
  name: 'pages',
  setup: build => {
    build.onLoad({ filter: /[\\/]src[\\/]dashboard[\\/]bundle[\\/]load-pages\.ts$/ }, () => ({
      contents: pages,
      loader: 'ts',
    }))
  },
})
