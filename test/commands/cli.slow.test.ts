import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ARDEN, runArden } from '../support/process'

test('help lists every command in its group, with examples and exit codes, on stdout', async () => {
  const { code, stdout, stderr } = await runArden(['--help'], {})
  expect([code, stderr]).toEqual([0, ''])
  for (const heading of ['Run it:', 'Use it, with an API key:', 'Operate it:', 'Exit codes:'])
    expect(stdout).toContain(heading)
  expect(stdout).not.toContain('\nCommands:')
  for (const name of ['dev', 'listen', 'trigger', 'events', 'deliveries', 'keys', 'completion'])
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b.*  \\w`, 'm'))
})

test.each([
  [['burn']],
  [['events']],
  [['trigger', 'article.burnt']],
  [['deliveries', 'list', '--status', 'LOST']],
  [['listen', '--forward', 'x']],
  [['deliveries', 'list', '--limit', 'ten']],
  [['deliveries', 'list', '--limit', '10001']],
  [['articles', 'list', '--status', 'LOST']],
  [['keywords', 'list']],
  [['webhooks', 'create', '--endpoint', 'https://example.com/hooks']],
  // As `"$id"` is where the variable is not set.
  [['projects', 'show', '']],
  [['events', 'show', '']],
  [['webhooks', 'redeliver', '..']],
  [['keywords', 'list', '--project', '']],
  [['export', '--out', 'backup', '--project', '']],
  [['keys', 'create', '--name', 'k', '--rate-limit', '1e3']],
])('%p is wrong usage: exit code 2, and nothing on stdout', async args => {
  const { code, stdout, stderr } = await runArden(args, {})
  expect([code, stdout]).toEqual([2, ''])
  // Without its command a group prints its help.
  expect(stderr).toStartWith(args.join() === 'events' ? 'Usage: arden events' : 'arden: ')
})

test.each([
  [['projects', 'show', ''], "arden: '' is no valid <id>. It is empty: it must"],
  [['events', 'show', ''], "arden: '' is no valid <id>. It is empty: it must"],
  [['deliveries', 'redeliver', 'wh_1'], "arden: 'wh_1' is no valid <id>. It must"],
  [['articles', 'list', '--project', ''], "'--project <id>' argument '' is invalid. It is empty"],
  [['generations', 'list', '--keyword', 'foo'], "'--keyword <id>' argument 'foo' is invalid."],
  [['deliveries', 'list', '--webhook', 'foo'], "'--webhook <id>' argument 'foo' is invalid."],
  [['export', '--out', 'x', '--article', 'foo'], "'--article <id>' argument 'foo' is invalid."],
])(
  '%p is refused: the id is empty or of another record, and the message has its form',
  async (args, says) => {
    const env = { ARDEN_API_KEY: 'ar_test_1', ARDEN_URL: 'http://127.0.0.1:9' }
    const { code, stdout, stderr } = await runArden(args, env)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
    expect(stderr).toMatch(
      / must be an id such as (prj|evt|dlv|kw|wh|art)_01kafz3v5tf4qrm8z3x9d2c7ne\./,
    )
  },
)

test('a misspelled option, and a misspelled command, get a suggestion', async () => {
  const option = await runArden(['deliveries', 'list', '--statsu', 'FAILED'], {})
  expect([option.code, option.stderr]).toEqual([
    2,
    expect.stringContaining('Did you mean --status?'),
  ])
  const shortened = await runArden(['webhooks', 'rotate-secret', 'wh_1', '--overlap', '60'], {})
  expect([shortened.code, shortened.stderr]).toEqual([
    2,
    expect.stringContaining('Did you mean --overlap-seconds?'),
  ])
  for (const args of [
    ['--profile', 'work', 'articles', 'list'],
    ['articles', '--project', 'prj_1', 'list'],
  ]) {
    const early = await runArden(args, {})
    expect([early.code, early.stderr]).toEqual([
      2,
      expect.stringContaining('It belongs behind the command that takes it.'),
    ])
  }
  for (const args of [
    ['articles', 'restore', 'art_1', '--version', '1'],
    ['articles', 'publish', 'art_1', '-V'],
  ]) {
    const { code, stdout, stderr } = await runArden(args, {})
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('unknown option')])
  }
  const required = await runArden(['projects', 'create', '--nmae', 'Blog'], {})
  expect([required.code, required.stderr]).toEqual([
    2,
    expect.stringContaining(
      "required option '--name <name>' not specified\n--nmae is none of its options.",
    ),
  ])
  const missing = await runArden(['projects', 'create', '--json'], {})
  expect([missing.code, missing.stderr]).toEqual([2, expect.not.stringContaining('none of')])
  const command = await runArden(['delivries'], {})
  expect([command.code, command.stderr]).toEqual([2, expect.stringContaining('deliveries?')])
})

test('help of a command in a group is that of the command, and a misspelled one gets a suggestion', async () => {
  const create = await runArden(['help', 'webhooks', 'create'], {})
  expect([create.code, create.stderr]).toEqual([0, ''])
  expect(create.stdout).toStartWith('Usage: arden webhooks create [options]')
  expect((await runArden(['webhooks', 'help', 'create'], {})).stdout).toBe(create.stdout)
  for (const names of [
    ['help', 'delivries'],
    ['help', 'deliveries', 'lst'],
    ['deliveries', 'help', 'lst'],
  ]) {
    const { code, stdout, stderr } = await runArden(names, {})
    expect([names, code, stdout]).toEqual([names, 2, ''])
    expect(stderr).toContain('Did you mean')
  }
})

test.each([
  [['webhooks', 'create'], '[options] --endpoint <url> --events <types>', 2],
  [['keywords', 'rank'], '[options] <id> --position <n>', 1],
  [['articles', 'update'], '[options] <id>', 0],
])(
  'help of %p shows the required options in its first line, and marks them',
  async (names, usage, required) => {
    const { stdout } = await runArden([...names, '--help'], {})
    expect(stdout).toStartWith(`Usage: arden ${names.join(' ')} ${usage}\n`)
    // A description can be wrapped within the mark.
    expect(stdout.replaceAll(/\s+/g, ' ').match(/ \(required\) /g) ?? []).toHaveLength(required)
  },
)

test('version knows the commit of the source it runs from', async () => {
  const { stdout } = await runArden(['version', '--json'], {})
  expect(JSON.parse(stdout).commit).toMatch(/^[0-9a-f]{7,}(-dirty)?$/)
})

test('help has colour with FORCE_COLOR, and none with NO_COLOR or without a terminal', async () => {
  const colour = '\u001b['
  expect((await runArden(['--help'], { FORCE_COLOR: '1' })).stdout).toContain(colour)
  expect((await runArden(['--help'], {})).stdout).not.toContain(colour)
  expect((await runArden(['--help'], { NO_COLOR: '1' })).stdout).not.toContain(colour)
})

const KEYWORD = 'kw_01kafz3v5tf4qrm8z3x9d2c7ne'

test('a result that is larger than a pipe is complete when the command fails after it', async () => {
  const failed = { id: 'gen_x', status: 'FAILED', error: null, steps: ['x'.repeat(300_000)] }
  const api = Bun.serve({ port: 0, fetch: () => Response.json({ data: failed }) })
  const args = ['generate', '--keyword', KEYWORD, '--url', api.url.href, '--key', 'ar_test_x']
  // The reader is slower than the command.
  const script = `set -o pipefail; "$@" | { sleep 3; cat; }`
  const bash = Bun.spawn(['bash', '-c', script, 'bash', ...ARDEN, ...args, '--json'], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  expect(JSON.parse(await bash.stdout.text())).toEqual(failed)
  expect(await bash.exited).toBe(1)
  await api.stop(true)
})

test.each(['version', 'doctor'])(
  'output of %s that cannot be written is named, without a stack',
  async name => {
    const bash = Bun.spawn(['bash', '-c', '"$@" > /dev/full', 'bash', ...ARDEN, name], {
      stderr: 'pipe',
      // No `dev` to check.
      env: { PATH: process.env.PATH, ARDEN_DATA_DIR: mkdtempSync(join(tmpdir(), 'arden-cli-')) },
    })
    const stderr = await bash.stderr.text()
    expect(stderr).toStartWith('arden: The output cannot be written: ENOSPC')
    expect([await bash.exited, stderr.trim().split('\n').length]).toEqual([1, 1])
  },
)

test('a database that cannot be reached is exit code 3', async () => {
  const { code, stderr } = await runArden(['keys', 'list'], {
    DATABASE_URL: 'postgres://arden@127.0.0.1:9/arden',
  })
  expect([code, stderr]).toEqual([3, expect.stringContaining('cannot be reached')])
})
