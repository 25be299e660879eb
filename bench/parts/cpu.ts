import pidtree from 'pidtree'
import pidusage from 'pidusage'

/** CPU time in ms, by process name. */
export type Cpu = Record<string, number>

/** Pids by process name. PostgreSQL's is the process whose children serve connections. */
export type Pids = Record<string, number>

/** CPU time of each process and its descendants since their start, in ms. */
export const readCpu = async (pids: Pids): Promise<Cpu> => {
  const used: Cpu = {}
  for (const [name, pid] of Object.entries(pids)) {
    // A child may exit between the two calls; its CPU time is missing then, and its entry can be null.
    const stats: Record<string, { ctime: number } | null> = await pidusage(
      await pidtree(pid, { root: true }),
    ).catch(() => pidusage([pid]))
    used[name] = Object.values(stats).reduce((sum, one) => sum + (one?.ctime ?? 0), 0)
  }
  return used
}

/** Time for processes to become idle, so that pending work is included, in ms. */
const SETTLE_MS = 300

/** The same after the processes have become idle. */
export const readSettledCpu = async (pids: Pids): Promise<Cpu> => {
  if (Object.keys(pids).length === 0) return {}
  await Bun.sleep(SETTLE_MS)
  return readCpu(pids)
}

/** Resident memory of a process, in bytes. */
export const residentBytes = async (pid: number): Promise<number> => (await pidusage(pid)).memory

/** The difference of two readings for each of `operations`. */
export const cpuPerOperation = (before: Cpu, after: Cpu, operations: number): Cpu =>
  Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [
      name,
      Math.max(0, ms - (before[name] ?? 0)) / operations,
    ]),
  )
