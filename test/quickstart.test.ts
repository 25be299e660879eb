import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../src/local/ports'
import { until } from './support/until'

/** The README's quick start, command by command, in a fresh copy of the project with an empty home. */
const ROOT = join(import.meta.dir, '..')
let folder: string
let env: Record<string, string>
const processes: ReturnType<typeof run>[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arden-quickstart-'))
  const files = await new Response(
    Bun.spawn(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
    }).stdout,
  ).text()
  // Git still lists what the work tree has deleted.
  const present = files.split('\0').filter(file => file && existsSync(join(ROOT, file)))
  for (const file of present) {
    const target = join(folder, 'arden', file)
    await mkdir(dirname(target), { recursive: true })
    await cp(join(ROOT, file), target)
  }
  const cache = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache')
  env = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    // Where the Temporal CLI is: building it takes minutes, and is tried by hand.
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(folder, 'npm'),
    BUN_INSTALL_CACHE_DIR: join(folder, 'bun'),
    PORT: String(await freePort()),
  }
  await mkdir(env.HOME ?? '')
})

afterAll(async () => {
  for (const { child } of processes) {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    await child.exited
  }
  await rm(folder, { recursive: true, force: true })
})

/** A shell command as typed in a terminal of its own, its output collected. */
const run = (command: string) => {
  const child = Bun.spawn(['bash', '-c', command], {
    cwd: join(folder, 'arden'),
    env,
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  const output = { text: '' }
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) output.text += chunk
  }
  return { child, output, closed: Promise.all([collect(child.stdout), collect(child.stderr)]) }
}

const inTerminal = (command: string) => {
  const started = run(command)
  processes.push(started)
  return started
}

/** A fenced block of the README, by the word behind `sh`. */
const block = async (name: string) => {
  const readme = await Bun.file(join(ROOT, 'README.md')).text()
  const text = new RegExp(`\`\`\`sh ${name}\n(.*?)\`\`\``, 's').exec(readme)?.[1]
  if (text === undefined) throw new Error(`the README has no block "sh ${name}"`)
  return text
}

test('the README’s quick start works, command by command, and Ctrl-C stops all of it', async () => {
  const readme = await Bun.file(join(ROOT, 'README.md')).text()
  const command = 'npx -y bun@1.4.5 run dev'
  expect(readme).toContain(command)
  const dev = inTerminal(command)
  await until(
    'dev is ready',
    () => {
      if (dev.child.exitCode !== null) throw new Error(`dev ended:\n${dev.output.text}`)
      return dev.output.text.includes('Arden is ready')
    },
    120,
  )
  expect(dev.output.text).toMatch(/Live key +ar_live_\w{38}\n +Test key +ar_test_\w{38}\n/)

  const receiverPort = await freePort()
  const onPorts = (text: string) =>
    text
      .replaceAll('localhost:3000', `localhost:${env.PORT}`)
      .replaceAll('4000', String(receiverPort))
  const receiver = inTerminal(onPorts(await block('receiver')))
  await until('the receiver listens', () =>
    fetch(`http://localhost:${receiverPort}/`, { method: 'POST' }).then(
      () => true,
      () => false,
    ),
  )
  const client = run(onPorts(await block('client')))
  await client.closed
  const answers = client.output.text
  expect(answers).toContain('"secret":"')
  expect(answers).toContain('"title":"Hello, webhooks"')

  await until('the webhook arrives', () =>
    receiver.output.text.includes('"event":"article.created"'),
  )
  expect(receiver.output.text).toMatch(/sha256=[0-9a-f]{64} {"id":"evt_/)

  const urls = [...dev.output.text.matchAll(/^ {2}(API|OpenAPI|Temporal UI) +(\S+)$/gm)]
  expect(urls.map(found => found[1])).toEqual(['API', 'OpenAPI', 'Temporal UI'])
  for (const [, , url] of urls.slice(1)) expect((await fetch(url ?? '')).status).toBe(200)

  // Ctrl-C goes to every process of the terminal's foreground group.
  process.kill(-dev.child.pid, 'SIGINT')
  await dev.child.exited
  await dev.closed
  await expect(fetch(urls[1]?.[2] ?? '')).rejects.toThrow()
  await expect(fetch(urls[2]?.[2] ?? '')).rejects.toThrow()
}, 240_000)
