import { join } from 'node:path'
import { settings } from '../src/config'
import { StartError } from '../src/errors'
import { toVariables } from './support/environment'
import { collectFailures } from './support/runner/failures'
import { startServers } from './support/runner/servers'
import { SEED } from './support/seed'

const HELP = `Usage: bun run test [options] [files]

Starts a PostgreSQL and a Temporal of its own, runs the tests against them, and stops both. The last line is
"N passed, N failed".

  bun run test                     lint, types and the quick tests
  bun run test --all               the slow tests too: the files named *.slow.test.ts
  bun run test test/http           the tests of a folder; any part of a path will do
  bun run test paging -t inserts   the tests of a file whose names match

Options:
  --all              run the slow tests too; a slow file that is named runs without it
  --update-timings   write test/timings.json, by which the longest files start first; run it on an idle machine
  --help             print this

All other options are those of \`bun test\`, such as --timeout <ms>, --bail, --rerun-each <n>, --only-failures.
With ARDEN_TEST_SEED=<n> tests that generate values generate others. A run that fails prints its seed.
`

/** By name, so that a file says itself that it is slow. */
const SLOW_FILES = '**/*.slow.test.ts'
/**
 * More than cores, because tests wait as well: for a receiver, a retry, a process that starts. On two cores four
 * take 8.5 min for all tests and six 7.7, of which 6.5 are CPU time. With six a second attempt once came 42.6 s after
 * the first: a worker got no CPU for so long that Temporal timed it out.
 */
const WORKERS = 4
/** For one test, in ms; each waits for a condition and fails sooner where it can. */
const TEST_TIMEOUT_MS = 180_000
/**
 * For all of them; a run that hangs ends here. With --all they take 24 minutes, and 7 more where the Temporal
 * server of rolling.slow.test.ts is built first; a slow machine takes 2.5 times as long.
 */
const RUN_LIMIT_MS = 90 * 60_000

/**
 * With --all, files with a failed test that are run once more by themselves (docs/decisions/tests.md, "The suite").
 * More than these are no accident of the machine.
 */
const FILES_RUN_AGAIN = 3

type Counts = { passed: number; failed: number }

const root = join(import.meta.dir, '..')
const stops: (() => Promise<unknown>)[] = []

/** `bun run test`: lint, type check and tests. Given files or options of bun test, it runs just the tests. */
const main = async (all: boolean, args: string[]): Promise<Counts> => {
  const checks =
    args.length > 0
      ? []
      : [
          check('Lint', ['biome', 'ci', '--colors=off', root]),
          check('Types', types('types', root)),
          check('Types of the pages', types('types-of-pages', join(root, 'src/dashboard/pages'))),
        ]
  const { environment, folder } = await startServers(stop => stops.push(stop), say)
  const results = await Promise.all(checks)
  const runsSlow = all || args.some(arg => arg.includes('.slow'))
  const variables = {
    ...toVariables(environment),
    TMPDIR: folder,
    // A worker in a test runs workflows in its own thread: 0.1 s of CPU to start instead of 0.5.
    TEMPORAL_DEBUG: '1',
  }
  const first = await runTests(
    runsSlow ? args : [`--path-ignore-patterns=${SLOW_FILES}`, ...args],
    variables,
  )
  const tests = all ? await runFailedFilesAgain(first, variables) : first
  return {
    passed: tests.passed + results.filter(Boolean).length,
    failed: tests.failed + results.filter(passed => !passed).length,
  }
}

/** A type check of `project`. What has not changed since the last one is in a cache: 2 s of CPU instead of 10. */
const types = (cache: string, project: string): string[] => {
  const file = join(root, `node_modules/.cache/${cache}.tsbuildinfo`)
  return ['tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', file, '-p', project]
}

/** A check that counts as one test. Shows its output only when it failed. */
const check = async (name: string, command: string[]): Promise<boolean> => {
  const run = Bun.spawn(['bunx', '--bun', '--no-install', ...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])
  say(code === 0 ? `${name}: passed` : `${out}${errors}\n${name}: failed`)
  return code === 0
}

type TestRun = Counts & { failedFiles: string[] }

/** The counts of `first` with those tests passed that failed in it and pass where nothing else runs. */
const runFailedFilesAgain = async (
  first: TestRun,
  variables: Record<string, string>,
): Promise<Counts> => {
  const { passed, failed, failedFiles } = first
  if (failedFiles.length === 0 || failedFiles.length > FILES_RUN_AGAIN) return first
  say(`\nRunning again, alone: ${failedFiles.join(' ')}\n`)
  const again = await runTests(failedFiles, variables)
  if (again.failed > 0) return first
  say(
    `\nFAILED ONCE, and passed alone: ${failedFiles.join(' ')}. The output of the failure is above.`,
  )
  return { passed: passed + failed, failed: 0 }
}

const runTests = async (args: string[], variables: Record<string, string>): Promise<TestRun> => {
  const run = Bun.spawn(
    [
      process.execPath,
      'test',
      // The processes that a test started end with it, and the tests end when this process is killed.
      '--no-orphans',
      `--parallel=${WORKERS}`,
      // A worker loads each module once, not once for each file: 40 s of CPU less.
      '--no-isolate',
      // The longest files first: some take as long as the schedule of the retries. A file that is not listed
      // goes before all that are.
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
  const { failures, files, read } = collectFailures()
  for await (const chunk of run.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(chunk)
    read(chunk)
    tail = (tail + chunk).slice(-2000)
  }
  const code = await run.exited
  if (failures.length > 0) {
    say(`\nOutput of the failed tests:\n\n${failures.join('\n\n')}\n`)
    say(`The values that tests generate were those of ARDEN_TEST_SEED=${SEED}.`)
  }
  if (run.signalCode !== null) say(`The tests were ended by ${run.signalCode}.`)
  // Bun's own count includes files that did not load, which its JUnit report leaves out.
  const count = (word: string) =>
    Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(Bun.stripANSI(tail))?.[1] ?? 0)
  const failed = count('fail')
  return {
    passed: count('pass'),
    failed: code !== 0 && failed === 0 ? 1 : failed,
    // Not where something failed outside a test: a file that did not load, a run that was ended.
    failedFiles: failed === failures.length ? [...files] : [],
  }
}

/** The caller's environment without the settings that Arden and its libraries would read. */
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

const given = process.argv.slice(2)
if (given.includes('--help') || given.includes('-h')) {
  process.stdout.write(HELP)
  process.exit(0)
}
const counts = await main(
  given.includes('--all'),
  given.filter(arg => arg !== '--all'),
)
  .catch(async error => {
    await interrupted
    say(error instanceof StartError ? error.message : Bun.inspect(error))
    return { passed: 0, failed: 1 }
  })
  .finally(stopAll)
await interrupted
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`)
process.exit(counts.failed === 0 ? 0 : 1)
