import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { quietPort } from '../support/network/quiet-ports'
import { type Fence, fencesOf, shows } from '../support/operations/fences'
import {
  closeTerminal,
  openShell,
  runInTerminal,
  type Terminal,
} from '../support/operations/terminals'
import { until } from '../support/until'

/**
 * The README and docs/*.md, command by command, against one `dev` in a fresh copy of the project with an
 * empty home. ```` ```sh ```` is typed into the document's shell; a ```` ```text ```` after it is what it
 * prints, with … for what differs. A block with a word behind `sh` runs in a terminal of that name, or is
 * one of those below that cannot run here. ```` ```ts receiver.ts ```` is saved under that name.
 */
const ROOT = join(import.meta.dir, '../..')

/** Terminals that stay open, and how each shows that it is ready. */
const READY: Record<string, (terminal: Terminal) => Promise<boolean>> = {
  receiver: () => responds(`http://localhost:${ports.receiver}/`),
  listen: async ({ output }) => output.text.includes('Waiting for events'),
}

/** Blocks that are not run here, by the word behind `sh` or by shell, and why. */
const NOT_HERE = new Map([
  ['start', 'this test starts dev itself; the other command starts this test'],
  [
    'docker',
    'needs a Docker engine; `bun run docker` runs these where one is, test/operations/compose.test.ts checks the file, test/dispatch/rolling.slow.test.ts its parts',
  ],
  ['temporal', "needs Temporal's server; `bun run systemd` runs these"],
  ['machines', 'names machines of an installation; `bun run systemd` runs these on one'],
  ['systemd', 'needs systemd; `bun run systemd` runs these'],
  ['cloud', 'needs an account of Temporal Cloud'],
  ['postgres', 'needs the tools of PostgreSQL; `bun run systemd` runs those of an installation'],
  ['browser', 'needs a user; test/dashboard/cli-sign-in.slow.test.ts signs in with one'],
  ['agent', 'needs an agent; test/commands/mcp.test.ts uses the official client'],
  ['operator', '`bun run disasters` types these, in minutes'],
  ['faults', 'takes minutes; test/dispatch/faults.slow.test.ts runs shorter ones'],
  ['records', 'names records by id; test/commands/cli-json.slow.test.ts runs these on some'],
  ['zsh', 'needs zsh; test/commands/completion.test.ts checks the completion'],
  ['fish', 'needs fish; test/commands/completion.test.ts checks the completion'],
])
/** A command that only reads is typed again until it shows what it should: deliveries take a moment. */
const READS = /^(?!.* -[dX] )(call|(bun run )?arden (deliveries list|events show)) .*$/
const SHELLS = ['sh', 'bash', 'zsh', 'fish', 'shell', 'console']

/** For `dev` with nothing installed: all packages are fetched, 25 s and on a busy machine four times that. */
const INSTALL_S = 200
/** For what goes on after a command, in seconds. */
const SOON_S = 60
/** Each time is a process, in ms. */
const READ_AGAIN_MS = 1_000

let folder: string
let place: { cwd: string; env: Record<string, string> }
let dev: Terminal
const ports = { api: 0, receiver: 0 }
const terminals: Terminal[] = []

const inTerminal = (command: string): Terminal => {
  const started = runInTerminal(command, place)
  terminals.push(started)
  return started
}

const responds = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arden-documents-'))
  const cwd = join(folder, 'arden')
  await copyProject(cwd)
  ports.api = await quietPort()
  // For who has the binary: `arden` on the PATH.
  const bin = join(folder, 'bin')
  await Bun.write(join(bin, 'arden'), `#!/bin/sh\nexec bun ${cwd}/src/main.ts "$@"\n`)
  await Bun.$`chmod +x ${join(bin, 'arden')}`
  const cache = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache')
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: join(folder, 'home'),
    // Where the Temporal CLI is: building it takes minutes, and is tried by hand.
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(folder, 'npm'),
    BUN_INSTALL_CACHE_DIR: join(folder, 'bun'),
    PORT: String(ports.api),
    ARDEN_URL: `http://localhost:${ports.api}`,
  }
  await mkdir(env.HOME)
  place = { cwd, env }
})

/** Removing the packages that `dev` fetched takes 90 s where the disk is busy. */
const CLEAN_UP_MS = 300_000
afterAll(
  async () => {
    for (const terminal of terminals) await closeTerminal(terminal)
    await rm(folder, { recursive: true, force: true })
  },
  { timeout: CLEAN_UP_MS },
)

const copyProject = async (to: string) => {
  const listed = Bun.spawn(
    ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT },
  )
  // Git still lists what the work tree has deleted.
  const files = (await new Response(listed.stdout).text())
    .split('\0')
    .filter(file => file && existsSync(join(ROOT, file)))
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true })
    await cp(join(ROOT, file), join(to, file))
  }
}

test(
  'the README’s command starts dev where there is no Bun, which prints URLs and keys',
  async () => {
    const command = 'npx -y bun@1.4.5 run dev'
    expect(await Bun.file(join(ROOT, 'README.md')).text()).toContain(command)
    dev = inTerminal(command)
    await until(
      'dev is ready',
      () => {
        if (dev.child.exitCode !== null) throw new Error(`dev ended:\n${dev.output.text}`)
        return dev.output.text.includes('Arden is ready')
      },
      INSTALL_S,
    )
    expect(dev.output.text).toMatch(/Live key +ar_live_\w{38}\n +Test key +ar_test_\w{38}\n/)
    expect([...urls().keys()]).toEqual(['API', 'OpenAPI', 'Temporal UI'])
    for (const name of ['OpenAPI', 'Temporal UI'])
      expect([name, (await fetch(urls().get(name) ?? '')).status]).toEqual([name, 200])
  },
  (INSTALL_S + 30) * 1000,
)

const urls = () =>
  new Map(
    [...dev.output.text.matchAll(/^ {2}(API|OpenAPI|Temporal UI) +(\S+)$/gm)].map(
      ([, name = '', url = '']) => [name, url],
    ),
  )

const documents = ['README.md', ...new Bun.Glob('docs/*.md').scanSync({ cwd: ROOT })].sort()

for (const document of documents) {
  test(`the commands of ${document} do what it shows, one after the other`, async () => {
    const fences = fencesOf(await Bun.file(join(ROOT, document)).text())
    ports.receiver = await quietPort()
    await follow(fences)
  }, 120_000)
}

const follow = async (fences: Fence[]) => {
  const shell = openShell(place)
  terminals.push(shell.terminal)
  const opened = new Map<string, Terminal>()
  let command = ''
  let printed = ''
  let isHere = true
  for (const { language, word, text, line } of fences) {
    if (language === 'text') {
      if (!isHere && word === undefined) continue
      const terminal = opened.get(word ?? '')
      const isReading = terminal === undefined && READS.test(command)
      const isShown = async () => {
        if (terminal !== undefined) printed = terminal.output.text
        if (shows(printed, text)) return true
        if (!isReading) return false
        await Bun.sleep(READ_AGAIN_MS)
        printed = await shell.type(command)
        return false
      }
      const seconds = terminal !== undefined || isReading ? SOON_S : 0
      await until('it is shown', isShown, seconds).catch(() => {
        throw new Error(`line ${line} shows\n${text}\nbut there is\n${printed}`)
      })
      continue
    }
    printed = ''
    if (word?.includes('.')) await Bun.write(join(place.cwd, word), here(text))
    if (!SHELLS.includes(language)) continue
    isHere = !NOT_HERE.has(word ?? language)
    if (!isHere) continue
    command = here(text)
    if (word === undefined) printed = await shell.type(command)
    else opened.set(word, await goOn(word, command, `line ${line}`))
  }
  for (const terminal of [shell.terminal, ...opened.values()]) await closeTerminal(terminal)
}

/** Resolves when the terminal is ready. @throws for a name that this test does not know. */
const goOn = async (name: string, command: string, where: string): Promise<Terminal> => {
  const isReady = READY[name]
  if (isReady === undefined)
    throw new Error(
      `${where} has a block "sh ${name}": say here how it is run, or why it cannot be`,
    )
  const terminal = inTerminal(command)
  await until(`the terminal of ${where} is ready`, () => isReady(terminal)).catch(error => {
    throw new Error(`${error.message}\n${terminal.output.text}`)
  })
  return terminal
}

/** With the ports and the keys of this `dev` in place of the document's. */
const here = (text: string): string => {
  const key = (mode: string) => new RegExp(`ar_${mode}_\\w+`).exec(dev.output.text)?.[0] ?? ''
  return text
    .replaceAll('localhost:3000', `localhost:${ports.api}`)
    .replaceAll(/(localhost:|port: )400\d/g, `$1${ports.receiver}`)
    .replaceAll('ar_test_...', key('test'))
    .replaceAll('ar_live_...', key('live'))
}

test('Ctrl-C stops all of it', async () => {
  // It goes to every process of the terminal's foreground group.
  process.kill(-dev.child.pid, 'SIGINT')
  await dev.child.exited
  await dev.closed
  for (const [name, url] of urls()) expect([name, await responds(url)]).toEqual([name, false])
})
