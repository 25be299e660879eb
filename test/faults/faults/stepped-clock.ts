/**
 * Loaded before a process of Arden: its clock is that of the machine and the offset in a file, in s. Only the
 * JavaScript clock: PostgreSQL and Temporal keep theirs, as if they ran on other machines.
 */
import { readFileSync } from 'node:fs'
import { clockFile } from './clock'

const READ_MS = 100
const RealDate = Date
const realUuid = Bun.randomUUIDv7
let offsetMs = 0

const read = () => {
  try {
    offsetMs = Number(readFileSync(clockFile(process.ppid), 'utf8')) * 1000
  } catch {
    offsetMs = 0
  }
}
setInterval(read, READ_MS).unref()

const now = () => RealDate.now() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[]) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
Object.assign(Bun, { randomUUIDv7: () => realUuid('hex', now()) })
