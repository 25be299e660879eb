import type { BunPlugin } from 'bun'
import { embeddedPages } from './pages'

/** Puts the built pages into the binary, where src/dashboard/load-pages.ts would build them. */
export const pagesPlugin: BunPlugin = {
  name: 'pages',
  setup: build => {
    build.onLoad({ filter: /[\\/]src[\\/]dashboard[\\/]load-pages\.ts$/ }, async () => ({
      contents: await embeddedPages(),
      loader: 'ts',
    }))
  },
}
