import { Command, Option } from '@commander-js/extra-typings'
import { wholeNumber } from '../../number'
import { print, printJson, table } from '../../print'
import { CONNECTIONS, ONE_POSTGRES_CORES, USED_CORES } from './figures'
import { type Plan, planFor } from './plan'

export const capacityCommand = () =>
  new Command('capacity')
    .description(
      'Show what an installation needs for a number of deliveries a second, from measured costs (docs/capacity.md).',
    )
    .requiredOption('--rate <number>', 'deliveries a second', wholeNumber(1, 1_000_000))
    .addOption(
      new Option('--mode <mode>', 'as in ARDEN_WORKFLOWS')
        .choices(['every', 'on-retry'])
        .default('every' as const),
    )
    .option('--failing <percent>', 'first attempts that fail', wholeNumber(0, 100), 1)
    .option('--response <ms>', 'time that receivers take to respond', wholeNumber(1, 30_000), 200)
    .option('--body <bytes>', 'size of an event', wholeNumber(1, 1_000_000), 300)
    .option('--retention <days>', 'as in ARDEN_RETENTION_DAYS', wholeNumber(1, 3650), 30)
    .option('--json', 'print one JSON object')
    .action(({ rate, mode, failing, response, body, retention, json }) => {
      const plan = planFor({
        rate,
        mode,
        failingPercent: failing,
        responseMs: response,
        bodyBytes: body,
        retentionDays: retention,
      })
      if (json) printJson(plan)
      else print(describe(plan))
    })

const describe = (plan: Plan): string => {
  const { serve, worker, postgres, temporal, temporal_postgres: temporalPostgres } = plan
  const row = (name: string, { cores, processes, memory_mb: memoryMb }: Partial<Plan['serve']>) => [
    name,
    cores === undefined ? '' : number(cores),
    processes === undefined ? '' : String(processes),
    memoryMb === undefined ? '' : gigabytes(memoryMb * 1e6),
  ]
  const parts = table([
    ['', 'cores', 'processes', 'memory'],
    row('serve', serve),
    row('worker', worker),
    row('PostgreSQL of Arden', postgres),
    row('Temporal', temporal),
    row('PostgreSQL of Temporal', temporalPostgres),
    row('together', { cores: plan.cores }),
  ])
  const rest = table([
    ['attempts in flight', String(plan.in_flight)],
    ['connections', `${plan.connections}, ${CONNECTIONS.temporal} of them Temporal's`],
    ['write-ahead log', `${number(plan.wal_bytes_per_second / 1e6)} MB/s`],
    ['disk', `${gigabytes(plan.disk_bytes_per_day)} a day, ${gigabytes(plan.disk_bytes)} in all`],
  ])
  const note = `Cores are for ${USED_CORES * 100} % of use. Each role has two processes at least, so that one can restart.`
  const limit = `More than one PostgreSQL of ${ONE_POSTGRES_CORES} cores carries: share the accounts out to several installations, or use on-retry (docs/capacity.md).`
  return [parts, '', rest, '', plan.fits_one_postgres ? note : `${note}\n${limit}`].join('\n')
}

/** With one digit behind the point where it is small. */
const number = (value: number): string =>
  value < 10 ? String(Math.max(0.1, Math.round(value * 10) / 10)) : String(Math.round(value))

const gigabytes = (bytes: number): string =>
  bytes < 1e12 ? `${number(bytes / 1e9)} GB` : `${number(bytes / 1e12)} TB`
