import { expect, test } from 'bun:test'

/** What a process with readable logs writes to stderr for `fields`. */
const logged = async (fields: unknown, message: string, env: Record<string, string> = {}) => {
  const script = `
    import { createLog } from ${JSON.stringify(`${import.meta.dir}/log`)}
    createLog({ logLevel: 'info', logFormat: 'pretty' }).info(${JSON.stringify(fields)}, ${JSON.stringify(message)})`
  const child = Bun.spawn([process.execPath, '-e', script], {
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  const text = await child.stderr.text()
  expect(await child.exited).toBe(0)
  return text
}

test('a readable log has no control character of the logged text, and keeps its own colours', async () => {
  const error = '\x1b[37mwhite\x1b[2J\u202e\x9b'
  const plain = await logged({ error }, `failed: ${error}`)
  expect(plain).toContain('\ufffd[37mwhite\ufffd[2J\ufffd\ufffd')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in it.
  expect(plain).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/)
  const coloured = await logged({ error }, 'failed', { FORCE_COLOR: '1' })
  expect(coloured).toContain('\x1b[32mINFO')
  expect(coloured).not.toContain('\x1b[37m')
})

test('what was logged before an exit is written, also where the threads that write are busy', async () => {
  const script = `
    import { pbkdf2 } from 'node:crypto'
    import { closeLog, createLog } from ${JSON.stringify(`${import.meta.dir}/log`)}
    const log = createLog({ logLevel: 'info', logFormat: 'json' })
    for (let n = 0; n < 32; n++) pbkdf2('a', 'b', 100_000, 32, 'sha256', () => {})
    log.info('stopped')
    await closeLog(log)
    log.info('a line of something that ends late')
    process.exit(0)`
  for (let n = 0; n < 5; n++) {
    const child = Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe' })
    expect(JSON.parse(await child.stderr.text()).msg).toBe('stopped')
    expect(await child.exited).toBe(0)
  }
})
