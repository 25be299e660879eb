import pidtree from 'pidtree'
import pidusage from 'pidusage'

/** Milliseconds of CPU, by the name of a process. */
export type Cpu = Record<string, number>

/** The pid of each process that is looked at. PostgreSQL's is the one whose children serve connections. */
export type Pids = Record<string, number>

/** What each process and its descendants have used since they began, in ms. */
export const usedCpu = async (pids: Pids): Promise<Cpu> => {
  const used: Cpu = {}
  for (const [name, pid] of Object.entries(pids)) {
    // A child may end between the two; what it used then is missing.
    const stats = await pidusage(await pidtree(pid, { root: true })).catch(() => pidusage([pid]))
    used[name] = Object.values(stats).reduce((sum, { ctime }) => sum + ctime, 0)
  }
  return used
}

/** For the processes to come to rest, so that what they still do is counted, in ms. */
const SETTLE_MS = 300

/** The same when what was begun is done. */
export const settledCpu = async (pids: Pids): Promise<Cpu> => {
  if (Object.keys(pids).length === 0) return {}
  await Bun.sleep(SETTLE_MS)
  return usedCpu(pids)
}

/** Resident memory of a process, in bytes. */
export const residentBytes = async (pid: number): Promise<number> => (await pidusage(pid)).memory

/** What was used between two looks, for each of `operations`. */
export const cpuOfEach = (before: Cpu, after: Cpu, operations: number): Cpu =>
  Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [
      name,
      Math.max(0, ms - (before[name] ?? 0)) / operations,
    ]),
  )
