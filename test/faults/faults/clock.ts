import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The file of the run whose process has this id: the parent of the processes of Arden. */
export const clockFile = (pid: number) => join(tmpdir(), `arden-faults-clock-${pid}`)

/** Moves the clocks of all processes that have loaded stepped-clock.ts. Returns the way back. */
export const stepClock = (seconds: number): (() => void) => {
  const file = clockFile(process.pid)
  writeFileSync(file, String(seconds))
  return () => rmSync(file)
}
