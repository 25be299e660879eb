import { Argument, Command } from '@commander-js/extra-typings'
import { StartError } from '../src/errors'
import { temporaryRoot } from '../test/support/operations/script'
import type { Context } from './bench'
import { benches } from './benches'
import { startServers, versionsOf } from './parts/servers'
import { formatBench } from './report'
import { measure, saveResults } from './results'

/**
 * `bun run bench [name]` measures the product against baselines in the same run. It starts its own servers
 * and processes and stops them. Results of full-length runs are saved (results.ts).
 */
const ROUNDS = 5
const SECONDS = 3

const positive = (text: string) => {
  const value = Number(text)
  if (value > 0) return value
  process.stderr.write(`"${text}" is not a number above 0.\n`)
  process.exit(2)
}

const [name, options] = (() => {
  const command = new Command('bun run bench')
    .description('Measure Arden against baselines taken in the same run.')
    .addArgument(
      new Argument('[name]', 'name of a benchmark').choices(benches.map(one => one.name)),
    )
    .option('--json', 'print the figures as JSON')
    .option(
      '--rounds <n>',
      'number of alternating measurements of baseline and product',
      positive,
      ROUNDS,
    )
    .option('--seconds <n>', 'duration of a measurement; counts scale with it', positive, SECONDS)
    .parse()
  return [command.args[0], command.opts()] as const
})()

const say = (line: string) => process.stderr.write(`${line}\n`)

const dir = temporaryRoot('arden-bench-')

const stops: (() => Promise<unknown>)[] = []
const run = async () => {
  const servers = await startServers(dir, stop => stops.push(stop), say)
  const { rounds, seconds } = options
  const share = Math.min(1, seconds / SECONDS)
  const context: Context = {
    servers,
    rounds,
    seconds,
    amount: full => Math.max(1, Math.ceil(full * share)),
    say,
  }
  const versions = await versionsOf(servers)
  for (const bench of benches.filter(one => name === undefined || one.name === name)) {
    const measured = await measure(() => bench.run(context), rounds, versions)
    const { figures } = measured
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ bench: bench.name, figures })}\n`
        : `${formatBench(bench, figures)}\n`,
    )
    if (rounds >= ROUNDS && seconds >= SECONDS) await saveResults(benches, bench.name, measured)
  }
}

const code = await run().then(
  () => 0,
  error => {
    say(error instanceof StartError ? error.message : Bun.inspect(error))
    return 1
  },
)
for (const stop of stops.reverse()) await stop()
process.exit(code)
