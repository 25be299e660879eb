import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { vectors } from '../../packages/sdk/vectors.json'
import { useArden } from '../support/arden'
import { type ReceivedRequest, startReceiver } from '../support/receiver'
import { run } from '../support/tools/run'
import { finalDeliveries } from '../support/webhooks/webhooks'
import type { Vector } from './vectors'

/** The snippets of docs/verify.md, taken from the document, each with a program that calls it. */
const DOCUMENT = join(import.meta.dir, '../../docs/verify.md')
const PROGRAMS = join(import.meta.dir, 'languages')

type Language = { name: string; fence: string; program: string; runs: string[][] }
const LANGUAGES: Language[] = [
  { name: 'Python', fence: 'python', program: 'main.py', runs: [['python3', 'main.py']] },
  {
    name: 'Go',
    fence: 'go',
    program: 'main.go',
    runs: [
      ['go', 'mod', 'init', 'example.com/receiver'],
      ['go', 'run', '.'],
    ],
  },
  { name: 'Ruby', fence: 'ruby', program: 'main.rb', runs: [['ruby', 'main.rb']] },
  { name: 'PHP', fence: 'php', program: 'main.php', runs: [['php', 'main.php']] },
  {
    name: 'Java',
    fence: 'java',
    program: 'Main.java',
    runs: [
      ['javac', 'Webhooks.java', 'Main.java'],
      ['java', '-cp', '.', 'Main'],
    ],
  },
]

type Case = Pick<Vector, 'name' | 'genuine' | 'secrets' | 'max_age_seconds' | 'headers' | 'body'>

const arden = await useArden({ serve: true, worker: true })
const folder = await mkdtemp(join(tmpdir(), 'arden-verify-'))
let received: Case[]
beforeAll(async () => {
  received = await receive()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A delivery before and one after a rotation that overlaps, as they arrived. */
const receive = async (): Promise<Case[]> => {
  const receiver = startReceiver()
  const as = await arden.client()
  const { data: hook } = (
    await as.post('/webhooks', { url: receiver.url, events: ['article.created'] })
  ).body
  const send = async (count: number): Promise<ReceivedRequest> => {
    await as.post(`/webhooks/${hook.id}/test`)
    await finalDeliveries(as, hook, count)
    const one = receiver.received.at(-1)
    if (one === undefined) throw new Error('nothing was received')
    return one
  }
  const before = await send(1)
  const rotated = await as.post(`/webhooks/${hook.id}/rotate-secret`, { overlap_seconds: 600 })
  const [old, current] = [hook.secret, rotated.body.data.secret]
  const after = await send(2)
  receiver.stop()
  const verdict = (
    name: string,
    genuine: boolean,
    one: ReceivedRequest,
    secret: string,
    body = one.body,
  ) => ({
    name,
    genuine,
    secrets: [secret],
    max_age_seconds: 300,
    headers: one.headers,
    body: Buffer.from(body).toString('base64'),
  })
  return [
    verdict('received', true, before, old),
    verdict('received, but another secret', false, before, current),
    verdict('received, but changed', false, before, old, `${before.body} `),
    verdict('received while a rotation overlaps, with the previous secret', true, after, old),
    verdict('received while a rotation overlaps, with the new secret', true, after, current),
  ]
}

/** A line that every language can read without a library: fields with tabs between them. */
const lineOf = ({ body, max_age_seconds, secrets, headers }: Case) =>
  [
    body,
    max_age_seconds ?? '',
    secrets.join(' '),
    ...Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]),
  ].join('\t')

const snippetOf = async (fence: string) => {
  const text = await Bun.file(DOCUMENT).text()
  const found = new RegExp(`^\`\`\`${fence} (\\S+)\\n(.*?)^\`\`\``, 'ms').exec(text)
  const [, file, snippet] = found ?? []
  if (!file || !snippet) throw new Error(`docs/verify.md has no block "${fence} <file>"`)
  return { file, snippet }
}

describe('docs/verify.md', () => {
  for (const { name, fence, program, runs } of LANGUAGES) {
    const isHere = runs.every(([command = '']) => Bun.which(command) !== null)
    test.skipIf(!isHere)(
      `the verifier in ${name} is right about each vector and each delivery received`,
      async () => {
        const { file, snippet } = await snippetOf(fence)
        const cwd = join(folder, fence)
        await Bun.write(join(cwd, file), snippet)
        await cp(join(PROGRAMS, program), join(cwd, basename(program)))
        const cases: Case[] = [...vectors, ...received]
        const input = cases.map(one => `${lineOf(one)}\n`).join('')
        let out = ''
        for (const command of runs) out = await run(command, { cwd, input })
        const verdicts = out.trim().toLowerCase().split('\n')
        expect(cases.map((one, n) => [one.name, verdicts[n]])).toEqual(
          cases.map(one => [one.name, String(one.genuine)]),
        )
      },
      120_000,
    )
  }

  test('has a verifier for each language, and no block that no test runs', async () => {
    const text = await Bun.file(DOCUMENT).text()
    const fences = [...text.matchAll(/^```(\w+)/gm)].map(found => found[1])
    expect(fences.filter(fence => fence !== 'ts')).toEqual(LANGUAGES.map(one => one.fence))
  })
})

test('the README’s verifier is right about each vector that has its signature, and no age limit', async () => {
  const readme = await Bun.file(join(DOCUMENT, '../../README.md')).text()
  const snippet = /^```ts\n(.*?)^```/ms.exec(readme)?.[1] ?? ''
  const file = join(folder, 'readme.ts')
  await Bun.write(file, snippet)
  const { isGenuine } = await import(file)
  const cases = [...vectors, ...received]
    .map(one => ({ ...one, headers: new Headers(one.headers) }))
    .filter(one => one.max_age_seconds === null && one.headers.has('webhook-signature'))
  expect(cases.filter(one => !one.genuine).length).toBeGreaterThan(4)
  for (const { name, genuine, secrets, headers, body } of cases)
    expect([name, isGenuine(Buffer.from(body, 'base64'), headers, secrets)]).toEqual([
      name,
      genuine,
    ])
})
