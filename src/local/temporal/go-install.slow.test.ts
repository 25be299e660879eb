import { afterAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { goInstall } from './go-install'

/** Builds of a small module, which Go downloads from a folder. */

const root = await mkdtemp(join(tmpdir(), 'arden-go-'))
const before = { ...process.env }
afterAll(async () => {
  process.env = before
  await rm(root, { recursive: true })
})

const MODULE = 'example.com/hello'
const VERSION = 'v1.0.0'
const FILES = {
  'go.mod': `module ${MODULE}\ngo 1.21\n`,
  'cmd/hello/main.go': `package main\nimport "${MODULE}/words"\nfunc main() { println(words.Hello()) }\n`,
  'words/words.go': `package words\nimport "${MODULE}/letters"\nfunc Hello() string { return letters.H + "ello" }\n`,
  'letters/letters.go': 'package letters\nconst H = "H"\n',
}

/** A folder that Go reads like a module proxy. */
const serveModule = async (): Promise<string> => {
  const versions = join(root, 'proxy', MODULE, '@v')
  await mkdir(versions, { recursive: true })
  const files = Object.entries(FILES).map(
    ([name, text]) => [`${MODULE}@${VERSION}/${name}`, strToU8(text)] as const,
  )
  await Bun.write(join(versions, 'list'), `${VERSION}\n`)
  await Bun.write(join(versions, `${VERSION}.info`), JSON.stringify({ Version: VERSION }))
  await Bun.write(join(versions, `${VERSION}.mod`), FILES['go.mod'])
  await Bun.write(join(versions, `${VERSION}.zip`), zipSync(Object.fromEntries(files)))
  return `file://${join(root, 'proxy')}`
}

test.skipIf(Bun.which('go') === null)(
  'a build says how many of the packages it has compiled',
  async () => {
    Object.assign(process.env, {
      GOPROXY: await serveModule(),
      GOSUMDB: 'off',
      GOMODCACHE: join(root, 'modules'),
      // Writable, so that the folder can be removed.
      GOFLAGS: '-modcacherw',
    })
    const dir = join(root, 'bin')
    await mkdir(dir)
    const shown: string[] = []
    const programs = { module: MODULE, version: VERSION, folders: ['cmd/hello'] }
    await goInstall('Hello', programs, dir, text => shown.push(text))
    expect(await readdir(dir)).toEqual(['hello'])
    const [, done, expected] =
      /once: (\d+) of about (\d+) packages, \d+ s$/.exec(shown.at(-1) ?? '') ?? []
    // More than these where Go's cache does not have those of the runtime.
    expect(Number(done)).toBeGreaterThanOrEqual(3)
    expect(done).toBe(expected)
    expect(shown[0]).toMatch(/0 modules downloaded/)
  },
)
