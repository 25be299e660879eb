import { join } from 'node:path'
import { settings } from '../src/config'
import { StartError } from '../src/errors'
import { toVariables } from './support/environment'
import { collectFailures } from './support/failures'
import { startServers } from './support/servers'

/**
 * `bun run test [files and options of bun test]`: lint, type check, and all tests against a PostgreSQL
 * and a Temporal of their own, which are gone afterwards. Given files, it runs just those.
 */

/**
 * Tests wait as well, for a receiver, a retry, a process that starts: more of them than cores. On two cores four
 * take 8.5 min and six 7.7, of which 6.5 are the CPU's; but with six a second attempt once came 42.6 s after the
 * first, as it does where a worker stands still for so long that Temporal takes it for dead.
 */
const WORKERS = 4
/** For one test, in ms; each waits for a condition and fails sooner where it can tell. */
const TEST_TIMEOUT_MS = 90_000
/**
 * For all of them; a run that hangs ends here. One takes 13 minutes of CPU, and 7 more where the Temporal server of
 * rolling.test.ts is built first.
 */
const RUN_LIMIT_MS = 25 * 60_000

type Counts = { passed: number; failed: number }

const root = join(import.meta.dir, '..')
const stops: (() => Promise<unknown>)[] = []

const main = async (args: string[]): Promise<Counts> => {
  const checks =
    args.length > 0
      ? []
      : [
          check('Lint', ['biome', 'ci', '--colors=off', root]),
          check('Types', ['tsc', '--noEmit', '-p', root]),
          check('Types of the pages', ['tsc', '--noEmit', '-p', join(root, 'src/dashboard/pages')]),
        ]
  const { environment, folder } = await startServers(stop => stops.push(stop), say)
  const results = await Promise.all(checks)
  const tests = await runTests(args, { ...toVariables(environment), TMPDIR: folder })
  return {
    passed: tests.passed + results.filter(Boolean).length,
    failed: tests.failed + results.filter(passed => !passed).length,
  }
}

/** A check that counts as one test. Shows what it wrote only when it failed. */
const check = async (what: string, command: string[]): Promise<boolean> => {
  const run = Bun.spawn(['bunx', '--bun', '--no-install', ...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  say(code === 0 ? `${what}: passed` : `${out}${errors}\n${what}: failed`)
  return code === 0
}

const runTests = async (args: string[], variables: Record<string, string>): Promise<Counts> => {
  const run = Bun.spawn(
    [
      process.execPath,
      'test',
      // Whatever a test started ends with it, and the tests end when this process is killed.
      '--no-orphans',
      `--parallel=${WORKERS}`,
      // The slow files first: one of them takes as long as the schedule of the retries, 2 minutes, and
      // rolling.test.ts has a server to build where none is cached. A file that is not listed goes before
      // all that are; a whole run with --update-timings lists it.
      '--timings=test/timings.json',
      `--timeout=${TEST_TIMEOUT_MS}`,
      ...args,
    ],
    {
      cwd: root,
      env: { ...withoutSettings(process.env), ...variables },
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'pipe',
      timeout: RUN_LIMIT_MS,
    },
  )
  stops.push(async () => {
    run.kill()
    await run.exited
  })
  let tail = ''
  const { failures, read } = collectFailures()
  for await (const chunk of run.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(chunk)
    read(chunk)
    tail = (tail + chunk).slice(-2000)
  }
  const code = await run.exited
  if (failures.length > 0) say(`\nWhat the failed ones said:\n\n${failures.join('\n\n')}\n`)
  if (run.signalCode !== null) say(`The tests were ended by ${run.signalCode}.`)
  // Bun's own count includes files that did not load, which its JUnit report leaves out.
  const count = (word: string) =>
    Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(Bun.stripANSI(tail))?.[1] ?? 0)
  const failed = count('fail')
  return { passed: count('pass'), failed: code !== 0 && failed === 0 ? 1 : failed }
}

/** The caller's environment, less what would point Arden or a library of its at something of theirs. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !(name in settings) && !/^(TEMPORAL|OTEL)_/.test(name)),
  ),
  ...(process.stderr.isTTY && { FORCE_COLOR: '1' }),
})

const say = (line: string) => process.stderr.write(`${line}\n`)

const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
}

// Not `once`: a terminal that closes sends several, and each after the first would end us at once.
let interrupted: Promise<never> | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interrupted ??= stopAll().then(() => process.exit(130))
  })

const counts = await main(process.argv.slice(2))
  .catch(async error => {
    await interrupted
    say(error instanceof StartError ? error.message : Bun.inspect(error))
    return { passed: 0, failed: 1 }
  })
  .finally(stopAll)
await interrupted
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exit(counts.failed === 0 ? 0 : 1)
