import { printReport } from '../faults/report'
import { type Options, type Report, runFault } from '../faults/run'
import type { Operator } from './operator'

/** What a disaster has: a folder of its own, a shell, and where it prints. */
export type Stage = {
  dir: string
  operator: Operator
  seed: number
  say: (line: string) => void
  onEnd: (stop: () => unknown) => void
}

export type Disaster = {
  name: string
  /** One line of the help. */
  about: string
  /** The blocks of docs/operations.md that it types, by name. */
  blocks: readonly string[]
  /** Why it cannot run on this machine; undefined where it can. */
  missing?: () => string | undefined
  /** @throws when something is not as the document has it. */
  run: (stage: Stage) => Promise<void>
}

/** How long nothing may be sent while deliveries are paused, in ms. */
const PAUSED_MS = 5_000

/** Waits, and resumes deliveries. @throws when one was sent while all were paused. */
export const resumeAfterPause = async (
  operator: Operator,
  arrivals: readonly unknown[],
): Promise<void> => {
  const before = arrivals.length
  await Bun.sleep(PAUSED_MS)
  if (arrivals.length > before) throw new Error('a delivery was sent while all are paused')
  await operator.follow('resume')
}

/**
 * Runs a fault as `bun run faults` does: under load, with every promise of the contract checked at the end.
 * @throws when one is broken.
 */
export const runUnderLoad = async (
  { dir, seed, say }: Stage,
  options: Pick<Options, 'fault' | 'events' | 'loadS'> & Partial<Options>,
): Promise<Report> => {
  const report = await runFault({ holdMs: 0, kills: 0, lane: 'every', seed, ...options }, dir, say)
  const broken = printReport(options.fault.name, report, say)
  if (broken > 0) throw new Error(`${broken} promises of the contract are broken`)
  return report
}
