import type { BunPlugin } from 'bun'

/**
 * Puts the built pages into the binary, where src/dashboard/load-pages.ts would build them. `pages` is the
 * module of `embeddedPages()`, made beforehand: a build that waits for another build inside it never ends.
 */
export const pagesPlugin = (pages: string): BunPlugin => ({
  name: 'pages',
  setup: build => {
    build.onLoad({ filter: /[\\/]src[\\/]dashboard[\\/]load-pages\.ts$/ }, () => ({
      contents: pages,
      loader: 'ts',
    }))
  },
})
