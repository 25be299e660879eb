/**
 * Saves the results of full-length runs: figures.json has the last run of each benchmark, RESULTS.md shows them between
 * its hand-written parts, and RUNS.md has their CPU time and their conditions.
 */
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { version } from '../src/version'
import type { Bench } from './bench'
import type { Figure } from './parts/figure'
import { isMet } from './parts/goal'
import { formatCpu, formatGoal, formatNumber, formatRatio } from './report'

/** One run of a benchmark, and its machine. */
type BenchRun = {
  on: string
  machine: string
  versions: string
  rounds: number
  /** Load average of the machine. A value above 0 at the beginning comes from other programs. */
  load: { began: number; ended: number }
  figures: Figure[]
}

const FILE = join(import.meta.dir, 'RESULTS.md')
const RUNS = join(import.meta.dir, 'RUNS.md')
const FIGURES = join(import.meta.dir, 'figures.json')
const BEGIN = '<!-- Written by `bun run bench`. -->'
const END = '<!-- The rest is written by hand. -->'

/** Runs a benchmark and records its conditions. */
export const measure = async (
  run: () => Promise<Figure[]>,
  rounds: number,
  servers: Record<string, string>,
): Promise<BenchRun> => {
  const began = load()
  const figures = await run()
  const [cpu] = cpus()
  const versions = { Arden: version, Bun: Bun.version, ...servers }
  return {
    on: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release()}`,
    versions: Object.entries(versions)
      .map(([name, one]) => `${name} ${one}`)
      .join(', '),
    rounds,
    load: { began, ended: load() },
    figures,
  }
}

/** Replaces the saved figures of a benchmark. */
export const saveResults = async (
  benches: Bench[],
  name: string,
  measured: BenchRun,
): Promise<void> => {
  const file = Bun.file(FIGURES)
  const earlier: Record<string, BenchRun> = (await file.exists()) ? await file.json() : {}
  const all = { ...earlier, [name]: measured }
  const runs = benches.flatMap(bench => {
    const one = all[bench.name]
    return one === undefined ? [] : [{ name: bench.name, ...one }]
  })
  const saved = Object.fromEntries(runs.map(({ name, ...one }) => [name, one]))
  await Bun.write(FIGURES, `${JSON.stringify(saved, null, 2)}\n`)

  const text = await Bun.file(FILE).text()
  const [head = ''] = text.split(BEGIN, 1)
  const tail = text.slice(text.indexOf(END))
  await Bun.write(FILE, `${head}${BEGIN}\n\n${table(runs)}\n\n${tail}`)
  const conditions = [
    '# Benchmark runs',
    'Written by `bun run bench`: the runs whose results [RESULTS.md](RESULTS.md) has.',
    '## CPU\n\nMilliseconds for each operation, by process; medians.',
    cpuTable(runs),
    '## Runs',
    runTable(runs),
  ]
  await Bun.write(RUNS, `${conditions.join('\n\n')}\n`)
}

type Run = BenchRun & { name: string }

const load = () => loadavg()[0] ?? Number.NaN

const table = (runs: Run[]) =>
  [
    row(['bench', '', 'baseline', 'Arden', 'ratio, median (least to most)', 'must reach', '']),
    row(Array(7).fill('---')),
    ...runs.flatMap(({ name, figures }) =>
      figures.map(figure =>
        row([
          name,
          [figure.variant, figure.note].filter(Boolean).join('; '),
          figure.baseline === undefined ? '' : formatNumber(figure.baseline),
          `${formatNumber(figure.product)} ${figure.unit}`,
          formatRatio(figure),
          formatGoal(figure),
          { true: 'met', false: '**missed**', undefined: '' }[String(isMet(figure))] ?? '',
        ]),
      ),
    ),
  ].join('\n')

const cpuTable = (runs: Run[]) =>
  [
    row(['bench', '', 'baseline', 'Arden']),
    row(Array(4).fill('---')),
    ...runs.flatMap(({ name, figures }) =>
      figures
        .filter(({ cpu }) => cpu.product !== undefined)
        .map(({ variant, unit, cpu }) =>
          row([
            name,
            `${variant} (${unit})`,
            formatCpu(cpu.baseline ?? {}),
            formatCpu(cpu.product ?? {}),
          ]),
        ),
    ),
  ].join('\n')

const runTable = (runs: Run[]) =>
  [
    row(['bench', 'on', 'rounds', 'load before, after', 'machine', 'versions']),
    row(Array(6).fill('---')),
    ...runs.map(({ name, on, rounds, load, machine, versions }) =>
      row([
        name,
        on,
        String(rounds),
        `${load.began.toFixed(1)}, ${load.ended.toFixed(1)}`,
        machine,
        versions,
      ]),
    ),
  ].join('\n')

const row = (cells: string[]) => `| ${cells.join(' | ')} |`
