import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { bundlePages } from './bundle-pages'

/**
 * The dashboard's pages, built and compressed: by `serve` at its start, and by build/compile.ts into the
 * binary. What was built is kept by the hash of all it was built from, so that a start takes 20 ms.
 */

/** A file of the pages as it is served: as it is, and compressed where that makes it smaller. */
export type Asset = { path: string; type: string; identity: Blob; gzip?: Blob; br?: Blob }

const ROOT = join(import.meta.dir, '..')
const CACHE = join(ROOT, 'node_modules/.cache/arden-pages')
/** Of 11. The last two take ten times as long and save 5 %. */
const BROTLI_QUALITY = 9
/** Built pages that are kept: of this version and a few before it. */
const KEPT = 4

/** All files of the pages; the one with the path `index.html` is the page itself. */
export const buildPages = async (): Promise<Asset[]> => {
  const dir = await builtPages()
  const files = (await readdir(dir)).sort()
  const kept = new Set(files)
  return files
    .filter(file => !/\.(br|gz)$/.test(file))
    .map(path => ({
      path,
      type: typeOf(path),
      identity: Bun.file(join(dir, path)),
      ...(kept.has(`${path}.gz`) && { gzip: Bun.file(join(dir, `${path}.gz`)) }),
      ...(kept.has(`${path}.br`) && { br: Bun.file(join(dir, `${path}.br`)) }),
    }))
}

/**
 * The text of a module that takes the place of src/dashboard/load-pages.ts in the compiled binary, and
 * has the built files inside.
 */
export const embeddedPages = async (): Promise<string> => {
  const dir = await builtPages()
  const files = (await readdir(dir)).sort()
  const name = (file: string) => `file${files.indexOf(file)}`
  const member = (encoding: string, file: string) =>
    files.includes(file) ? `, ${encoding}: Bun.file(${name(file)})` : ''
  return [
    ...files.map(
      file => `import ${name(file)} from ${JSON.stringify(join(dir, file))} with { type: 'file' }`,
    ),
    'export const loadPages = async () => [',
    ...files
      .filter(file => !/\.(br|gz)$/.test(file))
      .map(
        file =>
          `  { path: ${JSON.stringify(file)}, type: ${JSON.stringify(typeOf(file))}${member('identity', file)}${member('gzip', `${file}.gz`)}${member('br', `${file}.br`)} },`,
      ),
    ']',
  ].join('\n')
}

/** The folder with the built files. */
const builtPages = async (): Promise<string> => {
  const dir = join(CACHE, await hashOfSources())
  if ((await readdir(dir).catch(() => [])).length > 0) return dir
  const bundled = await bundlePages()
  const made = `${dir}.${process.pid}`
  await mkdir(made, { recursive: true })
  await Promise.all(bundled.map(({ path, bytes }) => writeAll(made, path, bytes)))
  // Whole or not at all; where two build at once, both have built the same.
  await rename(made, dir).catch(() => rm(made, { recursive: true, force: true }))
  await forgetOld()
  return dir
}

const writeAll = async (dir: string, path: string, bytes: Uint8Array): Promise<void> => {
  await writeFile(join(dir, path), bytes)
  // Fonts are compressed in themselves.
  if (path.endsWith('.woff2')) return
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  await Promise.all([
    writeFile(join(dir, `${path}.br`), br),
    writeFile(join(dir, `${path}.gz`), gz),
  ])
}

const SOURCES = ['src/**/*.ts', 'src/dashboard/pages/**/*', 'build/*pages.ts', 'bun.lock']

/** Of whatever the pages can be made of: they also use parts of the domain beside them. */
const hashOfSources = async (): Promise<string> => {
  const found = await Promise.all(
    SOURCES.map(glob => Array.fromAsync(new Bun.Glob(glob).scan({ cwd: ROOT }))),
  )
  const files = found
    .flat()
    .filter(file => !file.endsWith('.test.ts'))
    .sort()
  const hash = createHash('sha256').update(Bun.version)
  const texts = await Promise.all(files.map(file => Bun.file(join(ROOT, file)).bytes()))
  for (const [index, text] of texts.entries()) hash.update(`${files[index]}\n`).update(text)
  return hash.digest('hex').slice(0, 16)
}

const forgetOld = async (): Promise<void> => {
  const found = await Promise.all(
    (await readdir(CACHE)).map(async name => {
      // What another build renames meanwhile is not old.
      const { mtimeMs } = await stat(join(CACHE, name)).catch(() => ({ mtimeMs: Infinity }))
      return { name, mtimeMs }
    }),
  )
  const old = found.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(KEPT)
  await Promise.all(old.map(({ name }) => rm(join(CACHE, name), { recursive: true, force: true })))
}

const TYPES: { [extension: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

const typeOf = (path: string): string =>
  TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
