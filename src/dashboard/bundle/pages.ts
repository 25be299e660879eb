import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { bundlePages } from './bundle'

/**
 * The dashboard's pages, built and compressed: by `serve` at its start, and by build/compile.ts into the
 * binary. The result is cached by the hash of all its sources, so that a start takes 20 ms.
 */

/** A file of the pages as it is served: as it is, and compressed where that makes it smaller. */
export type Asset = Encodings<Blob> & { path: string; type: string }

/** A file of the pages after the build; each encoding is the path of a file on the disk. */
type BuiltFile = Encodings<string> & { path: string; type: string }

type Encodings<T> = { identity: T; gzip?: T; br?: T }

const ROOT = join(import.meta.dir, '../../..')
const CACHE = join(ROOT, 'node_modules/.cache/arden-pages')
/** Of 11. All files are 312 kB with 9 (0.15 s of CPU), 295 kB with 10 (1.1 s), 291 kB with 11 (3 s). */
const BROTLI_QUALITY = 10
/** Cached builds: this version and a few before it. */
const CACHED_BUILDS = 4

/** All files of the pages; the one with the path `index.html` is the page itself. */
export const buildPages = async (): Promise<Asset[]> =>
  (await buildFiles()).map(({ path, type, identity, gzip, br }) => ({
    path,
    type,
    identity: Bun.file(identity),
    ...(gzip && { gzip: Bun.file(gzip) }),
    ...(br && { br: Bun.file(br) }),
  }))

/** The same on the disk, for the binary to embed. */
export const buildFiles = async (): Promise<BuiltFile[]> => {
  const dir = await buildFolder()
  const names = (await readdir(dir)).sort()
  const built = (name: string) => (names.includes(name) ? join(dir, name) : undefined)
  return names
    .filter(name => !/\.(br|gz)$/.test(name))
    .map(path => {
      const [gzip, br] = [built(`${path}.gz`), built(`${path}.br`)]
      return {
        path,
        type: typeOf(path),
        identity: join(dir, path),
        ...(gzip && { gzip }),
        ...(br && { br }),
      }
    })
}

/** The folder with the built files. */
const buildFolder = async (): Promise<string> => {
  const dir = join(CACHE, await hashOfSources())
  if ((await readdir(dir).catch(() => [])).length > 0) return dir
  const bundled = await bundlePages()
  const unfinished = `${dir}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  await Promise.all(bundled.map(({ path, bytes }) => writeEncodings(unfinished, path, bytes)))
  // Complete or not at all; two processes that build at the same time build the same.
  await rename(unfinished, dir).catch(() => rm(unfinished, { recursive: true, force: true }))
  await removeOld()
  return dir
}

const writeEncodings = async (dir: string, path: string, bytes: Uint8Array): Promise<void> => {
  await writeFile(join(dir, path), bytes)
  // A WOFF2 font is compressed already.
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

/** All the pages can depend on: they also import types and constants of the server. */
const SOURCES = ['src/**/*.ts', 'src/dashboard/pages/**/*', 'bun.lock']

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

const removeOld = async (): Promise<void> => {
  const found = await Promise.all(
    (await readdir(CACHE)).map(async name => {
      // Another build may rename it meanwhile; then it is not old.
      const { mtimeMs } = await stat(join(CACHE, name)).catch(() => ({ mtimeMs: Infinity }))
      return { name, mtimeMs }
    }),
  )
  const old = found.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(CACHED_BUILDS)
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
