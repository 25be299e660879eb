import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compose } from '../support/operations/compose'
import { runArden } from '../support/process'

/** deploy/systemd: what can be checked of the units without systemd running them. */

const FOLDER = join(import.meta.dir, '../../deploy/systemd')
const units = await Promise.all(
  readdirSync(FOLDER).map(async file => ({
    file,
    text: await Bun.file(join(FOLDER, file)).text(),
  })),
)
const BINARY = '/usr/local/bin/arden'

const hasAnalyze = Bun.which('systemd-analyze') !== null
if (!hasAnalyze)
  process.stderr.write(
    'test/operations/systemd.test.ts: Not run: systemd-analyze, which is not installed (Debian: systemd).\n',
  )
const analyze = (...words: string[]) => {
  const { stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...words], {
    env: { ...process.env, SYSTEMD_COLORS: '0' },
  })
  return `${stdout}${stderr}`
}

test.skipIf(!hasAnalyze)('systemd accepts each unit, and calls it exposed less than 2.0', () => {
  for (const { file } of units) {
    const path = join(FOLDER, file)
    // The binary is not installed where the tests run.
    const said = analyze('verify', path)
      .split('\n')
      .filter(line => line !== '' && !line.includes(`Command ${BINARY} is not executable`))
    expect(said, file).toEqual([])
    const [, level] =
      /exposure level for .*: ([\d.]+)/.exec(analyze('security', '--offline=true', path)) ?? []
    expect(Number(level), file).toBeWithin(0, 2)
  }
})

test('each runs a command of Arden, and is started when its health check passes', async () => {
  expect(units.map(({ file }) => file)).toEqual(['arden-serve.service', 'arden-worker.service'])
  for (const { file, text } of units) {
    const [, command = ''] = new RegExp(`^ExecStart=${BINARY} (.*)$`, 'm').exec(text) ?? []
    const [, check = ''] = new RegExp(`until ${BINARY} (.*?);`).exec(text) ?? []
    expect(check, file).toBe(`health ${command}`)
    for (const words of [command, check]) {
      const { stdout, code } = await runArden([...words.split(' '), '--help'], {})
      expect(stdout).toStartWith(`Usage: arden ${words} [options]`)
      expect(code).toBe(0)
    }
  }
})

test('a stop has the time that it has in docker-compose.yml', () => {
  for (const { file, text } of units) {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])
    const grace = Number.parseInt(compose.services.serve?.stop_grace_period ?? '', 10)
    expect(seconds, file).toBeGreaterThanOrEqual(grace)
  }
})
