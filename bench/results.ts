/** Writes what a full run measured into RESULTS.md, whose other parts are written by hand. */
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { version } from '../src/version'
import type { Bench } from './bench'
import type { Figure } from './parts/figure'
import { isMet } from './parts/mark'
import { cpuText, goalText, number, ratioText } from './report'

export type Result = { bench: Bench; figures: Figure[] }

const FILE = join(import.meta.dir, 'RESULTS.md')
const BEGIN = '<!-- Written by a full `bun run bench`. -->'
const END = '<!-- The rest is written by hand. -->'

/** What the machine was, and how busy others kept it when the run began and ended. */
export type Machine = { began: Date; load: number }

export const lookAtMachine = (): Machine => ({
  began: new Date(),
  load: loadavg()[0] ?? Number.NaN,
})

export const writeResults = async (
  results: Result[],
  before: Machine,
  rounds: number,
  versions: Record<string, string>,
): Promise<void> => {
  const text = await Bun.file(FILE).text()
  const [head = ''] = text.split(BEGIN, 1)
  const tail = text.slice(text.indexOf(END))
  const written = [
    machine(before, rounds, versions),
    table(results),
    '### CPU\n\nMilliseconds for each operation, by process; medians.',
    cpuTable(results),
  ]
  await Bun.write(FILE, `${head}${BEGIN}\n\n${written.join('\n\n')}\n\n${tail}`)
}

const machine = ({ began, load }: Machine, rounds: number, versions: Record<string, string>) => {
  const [cpu] = cpus()
  const all = { Arden: version, Bun: Bun.version, ...versions }
  return [
    `${began.toISOString().slice(0, 10)}, ${cpus().length} x ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release()}. Load average at the beginning ${load.toFixed(1)}, at the end ${(loadavg()[0] ?? 0).toFixed(1)}: what is above 0 at the beginning is other programs.`,
    `${Object.entries(all)
      .map(([name, one]) => `${name} ${one}`)
      .join(', ')}. ${rounds} rounds.`,
  ].join('\n\n')
}

const table = (results: Result[]) =>
  [
    '| bench | | floor | Arden | ratio, median (least to most) | must reach | |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...results.flatMap(({ bench, figures }) =>
      figures.map(figure =>
        row([
          bench.name,
          [figure.variant, figure.note].filter(Boolean).join('; '),
          figure.floor === undefined ? '' : number(figure.floor),
          `${number(figure.product)} ${figure.unit}`,
          ratioText(figure),
          goalText(figure),
          { true: 'met', false: '**missed**', undefined: '' }[String(isMet(figure))] ?? '',
        ]),
      ),
    ),
  ].join('\n')

const cpuTable = (results: Result[]) =>
  [
    '| bench | | floor | Arden |',
    '| --- | --- | --- | --- |',
    ...results.flatMap(({ bench, figures }) =>
      figures
        .filter(({ cpu }) => cpu.product !== undefined)
        .map(({ variant, unit, cpu }) =>
          row([
            bench.name,
            `${variant} (${unit})`,
            cpuText(cpu.floor ?? {}),
            cpuText(cpu.product ?? {}),
          ]),
        ),
    ),
  ].join('\n')

const row = (cells: string[]) => `| ${cells.join(' | ')} |`
