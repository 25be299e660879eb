import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { run as runTool } from '../support/tools/run'
import { addProgram, installPackage } from './installed'

const PACKAGE = join(import.meta.dir, '../../packages/sdk')

/** The package as it is published, installed in a folder of its own, on each runtime that is here. */
const arden = await useArden({ serve: true })
const folder = await installPackage()
const env = {
  PATH: process.env.PATH ?? '',
  ARDEN_URL: arden.url,
  ARDEN_API_KEY: (await arden.key()).key,
}
/** Under way from the start, because they mostly wait. */
const runs = new Map<string, ReturnType<typeof run>>()

beforeAll(async () => {
  const suite = await addProgram(folder, join(import.meta.dir, 'suite/main.ts'))
  for (const [name, command] of RUNTIMES)
    if (isHere(name)) runs.set(name, run([name, ...command, suite]))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = async (command: string[]) => {
  const child = Bun.spawn(command, {
    cwd: folder,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { code, said: `${out}${errors}` }
}

/** How each runtime runs the suite, and how its output shows that tests ran. */
const RUNTIMES: [name: string, command: string[], passed: RegExp][] = [
  ['node', ['--test'], /^# pass (\d+)$/m],
  // Its own limit for a test is 5 s, which a busy machine needs for a few requests.
  ['bun', ['test', '--timeout', '60000'], /^ *(\d+) pass$/m],
  ['deno', ['test', '--allow-all', '--no-check'], /(\d+) passed/],
]

const isHere = (name: string) => Bun.which(name) !== null

for (const [name, , passed] of RUNTIMES)
  test.skipIf(!isHere(name))(
    `its full suite passes on ${name}`,
    async () => {
      const { code, said } = (await runs.get(name)) ?? { code: null, said: '' }
      if (code !== 0) throw new Error(said)
      expect(Number(passed.exec(said)?.[1])).toBeGreaterThan(50)
    },
    60_000,
  )

test.skipIf(!isHere('npm'))(
  'the commands of the README pack it from the repository and install it',
  async () => {
    const [commands] = /(?<=```sh\n).*?(?=```)/s.exec(await readReadme()) ?? []
    const user = await mkdtemp(join(tmpdir(), 'arden-sdk-user-'))
    await Bun.write(join(user, 'package.json'), '{ "type": "module", "private": true }')
    const script = commands?.replace('./packages/sdk', PACKAGE) ?? ''
    await runTool(['sh', '-ec', script], { cwd: user, env: { npm_config_offline: 'true' } })
    const program = "import { createArden } from '@arden/sdk'; console.log(typeof createArden)"
    const printed = await runTool(['node', '--input-type=module', '-e', program], { cwd: user })
    expect(printed).toBe('function\n')
    const packed = await readdir(join(user, 'node_modules/@arden/sdk'))
    expect(packed.sort()).toEqual(['README.md', 'dist', 'examples', 'package.json', 'vectors.json'])
    const links = [...(await readReadme()).matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)]
    const missing = links.filter(
      ([, text = '', target = '']) =>
        // A document of the repository is named by its path, which a reader without the repository can use.
        !(target.startsWith('../../docs/') && text.startsWith('docs/')) &&
        !existsSync(join(user, 'node_modules/@arden/sdk', target)),
    )
    expect(missing.map(([link]) => link)).toEqual([])
    await rm(user, { recursive: true })
  },
  60_000,
)

test('it has no dependency: its module imports nothing, and names nothing of Node or Bun', async () => {
  const module = await readFile(join(folder, 'node_modules/@arden/sdk/dist/index.js'), 'utf8')
  expect(new Bun.Transpiler().scanImports(module)).toEqual([])
  expect(module).not.toMatch(/\bnode:|\bBuffer\b|\bBun\b/)
  const manifest = JSON.parse(
    await readFile(join(folder, 'node_modules/@arden/sdk/package.json'), 'utf8'),
  )
  expect(Object.keys(manifest).filter(key => /dependencies/i.test(key))).toEqual([])
})

const readReadme = () => readFile(join(PACKAGE, 'README.md'), 'utf8')

/** A block of the package's README, as a file of the user's folder. */
const readmeBlock = async (name: string, change = (text: string) => text): Promise<string> => {
  const readme = await readReadme()
  const text = new RegExp(`\`\`\`ts ${name}\\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  if (text === undefined) throw new Error(`the README has no block "ts ${name}"`)
  const file = join(folder, name)
  await Bun.write(file, change(text))
  return file
}

test('the README’s quick start runs as it is written', async () => {
  const source = await readmeBlock('quickstart.ts', text =>
    text
      .replace('http://localhost:3000', arden.url)
      .replace('ar_test_...', env.ARDEN_API_KEY ?? ''),
  )
  const { code, said } = await run(['node', await addProgram(folder, source)])
  expect([code, said]).toEqual([0, expect.stringMatching(/^art_\w{26} Hello, webhooks\n$/)])
})

test('its types hold for a strict user with Node’s module resolution and no types but the DOM’s', async () => {
  await cp(join(import.meta.dir, 'consumer.ts'), join(folder, 'consumer.ts'))
  const blocks = ['quickstart.ts', 'versions.ts', 'stream.ts', 'receive.ts']
  for (const name of blocks) await readmeBlock(name)
  const options = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
    },
    files: ['consumer.ts', ...blocks],
  }
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const { code, said } = await run([
    process.execPath,
    join(import.meta.dir, '../../node_modules/.bin/tsc'),
    '-p',
    folder,
  ])
  expect([code, said]).toEqual([0, ''])
})
