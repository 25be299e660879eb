import { basename, join } from 'node:path'
import { compile } from '@tailwindcss/node'
import { Scanner } from '@tailwindcss/oxide'
import type { BunPlugin } from 'bun'

const PAGES = join(import.meta.dir, '../pages')
const BASE = '/dashboard/assets/'

const COMMON = {
  minify: true,
  target: 'browser',
  define: { 'process.env.NODE_ENV': '"production"' },
  // No environment variable gets into the pages.
  env: 'disable',
  loader: { '.svg': 'file' },
  publicPath: BASE,
  naming: {
    entry: '[name]-[hash].[ext]',
    chunk: 'chunk-[hash].[ext]',
    asset: '[name]-[hash].[ext]',
  },
} satisfies Partial<Bun.BuildConfig>

type BundledFile = { path: string; bytes: Uint8Array<ArrayBuffer>; isEntry: boolean }

/**
 * Bundles the pages, in builds of their own: they are fully minified, which breaks the server's code (Elysia
 * reads the source of its handlers). Files are named by the hash of their content, except `index.html`.
 */
export const bundlePages = async (): Promise<BundledFile[]> => {
  const fonts: BundledFile[] = []
  const builds = await Promise.all([
    Bun.build({
      ...COMMON,
      entrypoints: [join(PAGES, 'main.tsx')],
      splitting: true,
      plugins: [styles(fonts)],
      external: [`${BASE}*`],
    }),
    // A separate build: a classic script must not share chunks with the modules.
    Bun.build({ ...COMMON, entrypoints: [join(PAGES, 'theme/first.ts')], format: 'iife' }),
  ])
  const outputs = builds.flatMap(build => build.outputs)
  const files = await Promise.all(
    outputs.map(async output => ({
      path: output.path.replace(/^\.\//, ''),
      bytes: new Uint8Array(await output.arrayBuffer()),
      isEntry: output.kind === 'entry-point',
    })),
  )
  files.push(...fonts)
  return [
    ...files,
    { path: 'index.html', bytes: new TextEncoder().encode(page(files)), isEntry: false },
  ]
}

/** Compiles the styles with the Tailwind classes that the pages use, and adds the fonts they load. */
const styles = (fonts: BundledFile[]): BunPlugin => ({
  name: 'styles',
  setup: build => {
    build.onLoad({ filter: /styles\.css$/ }, async ({ path }) => {
      const { build: toCss } = await compile(await Bun.file(path).text(), {
        base: PAGES,
        onDependency: () => {},
      })
      const sources = [{ base: PAGES, pattern: '**/*.tsx', negated: false }]
      const css = toCss(new Scanner({ sources }).scan())
      return { contents: await withFonts(withExactWidths(css), fonts), loader: 'css' }
    })
  },
})

/**
 * Bun writes `width < 64rem` as a maximum of 0.001 px less, which Chromium takes for 64rem: at that width, the classes for
 * narrower and for wider windows both applied.
 */
const withExactWidths = (css: string): string =>
  css.replace(/@media \(width < ([\d.]+rem)\)/g, '@media not all and (min-width: $1)')

/** Fonts as files: Bun would inline them as data: URLs, which the content security policy blocks. */
const withFonts = async (css: string, fonts: BundledFile[]): Promise<string> => {
  let result = css
  for (const [, name = ''] of css.matchAll(/url\("([^"]+\.woff2)"\)/g)) {
    const bytes = await Bun.file(Bun.resolveSync(name, PAGES)).bytes()
    const path = `${basename(name, '.woff2')}-${Bun.hash(bytes).toString(36)}.woff2`
    fonts.push({ path, bytes, isEntry: false })
    result = result.replace(name, `${BASE}${path}`)
  }
  return result
}

const page = (files: BundledFile[]): string => {
  const named = (start: string, end: string) => {
    const found = files.find(
      ({ path, isEntry }) =>
        path.startsWith(start) && path.endsWith(end) && isEntry === (end === '.js'),
    )
    if (found === undefined) throw new Error(`the build of the pages made no ${start}*${end}`)
    return `${BASE}${found.path}`
  }
  // Sets the theme before the first paint. An inline script would need an exception in the policy.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Arden</title>
<link rel="icon" href="${named('icon-', '.svg')}">
<script src="${named('first-', '.js')}"></script>
<link rel="preload" href="${named('geist-latin-wght-normal-', '.woff2')}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${named('main-', '.css')}">
<script type="module" src="${named('main-', '.js')}"></script>
</head>
<body>
<noscript>The dashboard needs JavaScript.</noscript>
<div id="root"></div>
</body>
</html>
`
}
