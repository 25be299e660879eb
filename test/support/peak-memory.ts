import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux alone has a peak that can be reset. */
export const CAN_MEASURE_PEAK = existsSync('/proc/self/clear_refs')

/** By how many MiB the resident memory of a process exceeded, at most, what it was before `work`. */
export const peakGrowthMiB = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
  // Sets VmHWM, the peak, to VmRSS.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = residentMiB(pid)
  await work()
  return readMiB(pid, 'VmHWM') - before
}

export const residentMiB = (pid: number): number => readMiB(pid, 'VmRSS')

const readMiB = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .find(line => line.startsWith(`${field}:`))
  return Number(line?.match(/\d+/)?.[0]) / 1024
}
