import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runArden } from '../../../../test/support/process'
import { fc } from '../../../../test/support/property'
import { CPU_MS } from './figures'
import { type Load, planFor } from './plan'

type Figure = { variant: string; cpu: { product: Record<string, number> } }
const figures = (await Bun.file(
  join(import.meta.dir, '../../../../bench/figures.json'),
).json()) as Record<string, { figures: Figure[] }>

/** CPU of a process for one delivery in the last run of a benchmark, in ms. */
const measured = (bench: string, variant: string, process: string): number => {
  const figure = figures[bench]?.figures.find(one => one.variant === variant)
  const ms = figure?.cpu.product[process]
  if (ms === undefined)
    throw new Error(`bench/figures.json has no ${bench}, ${variant}, ${process}`)
  return ms
}

test('the figures are those of the last benchmarks, within a third', () => {
  const onPostgres = 'every, Temporal on PostgreSQL'
  const arden = measured('deliveries', 'every, Temporal on SQLite', 'postgres')
  const pairs: [string, number, number][] = [
    ['serve', CPU_MS['on-retry'].serve, measured('end-to-end', 'on-retry', 'serve')],
    ['worker', CPU_MS['on-retry'].worker, measured('end-to-end', 'on-retry', 'worker')],
    ['postgres', CPU_MS['on-retry'].postgres, measured('end-to-end', 'on-retry', 'postgres')],
    ['every, worker', CPU_MS.every.worker, measured('deliveries', onPostgres, 'worker')],
    ['every, postgres', CPU_MS.every.postgres, measured('end-to-end', 'every', 'postgres')],
    ['temporal', CPU_MS.workflow.temporal, measured('deliveries', onPostgres, 'temporal')],
    [
      'its postgres',
      CPU_MS.workflow.temporalPostgres,
      measured('deliveries', onPostgres, 'postgres') - arden,
    ],
  ]
  for (const [name, figure, ms] of pairs) expect(figure / ms, name).toBeWithin(0.67, 1.5)
})

const load: Load = {
  rate: 1000,
  mode: 'on-retry',
  failingPercent: 1,
  responseMs: 200,
  bodyBytes: 300,
  retentionDays: 30,
}

describe('a plan', () => {
  test('has more of everything for a higher load, and never less than two processes of a role', () => {
    const loads = fc.record({
      rate: fc.integer({ min: 1, max: 1_000_000 }),
      mode: fc.constantFrom('every' as const, 'on-retry' as const),
      failingPercent: fc.integer({ min: 0, max: 50 }),
      responseMs: fc.integer({ min: 1, max: 30_000 }),
      bodyBytes: fc.integer({ min: 1, max: 100_000 }),
      retentionDays: fc.integer({ min: 1, max: 3650 }),
    })
    fc.assert(
      fc.property(loads, one => {
        const plan = planFor(one)
        const twice = planFor({ ...one, rate: one.rate * 2 })
        expect(plan.serve.processes).toBeGreaterThanOrEqual(2)
        expect(plan.worker.processes).toBeGreaterThanOrEqual(2)
        for (const part of ['cores', 'disk_bytes', 'wal_bytes_per_second', 'in_flight'] as const)
          expect(twice[part]).toBeGreaterThanOrEqual(plan[part])
        expect(twice.connections).toBeGreaterThanOrEqual(plan.connections)
      }),
    )
  })

  test('needs Temporal for failed first attempts only, with on-retry', () => {
    expect(planFor({ ...load, failingPercent: 0 }).temporal.cores).toBe(0)
    const every = planFor({ ...load, mode: 'every' })
    expect(planFor(load).temporal.cores).toBeCloseTo(every.temporal.cores / 100)
    expect(every.fits_one_postgres).toBe(true)
    expect(planFor({ ...load, mode: 'every', rate: 10_000 }).fits_one_postgres).toBe(false)
  })

  test('has workers for the attempts in flight, also where they need no CPU', () => {
    // 30,000 in flight, 1,000 of a worker.
    expect(planFor({ ...load, responseMs: 30_000 }).worker.processes).toBe(30)
  })
})

describe('arden capacity', () => {
  test('prints cores, processes, memory, connections and storage', async () => {
    const { stdout, code } = await runArden(
      ['capacity', '--rate', '1000', '--mode', 'on-retry'],
      {},
    )
    expect(code).toBe(0)
    for (const part of [
      'serve',
      'worker',
      'PostgreSQL of Arden',
      'Temporal',
      'connections',
      'disk',
    ])
      expect(stdout).toContain(part)
    const { stdout: json } = await runArden(['capacity', '--rate', '1000', '--json'], {})
    expect(JSON.parse(json)).toMatchObject({ in_flight: 200, fits_one_postgres: true })
  })

  test('says how to grow beyond one PostgreSQL, and refuses what is no rate', async () => {
    const { stdout } = await runArden(['capacity', '--rate', '50000'], {})
    expect(stdout).toContain('share the accounts out to several installations')
    const { stderr, code } = await runArden(['capacity', '--rate', 'many'], {})
    expect(code).toBe(2)
    expect(stderr).toContain('It must be a whole number from 1 to 1000000.')
  })
})
