import { type Finding, fail, ok, warn } from './check'

/** Where a person sees it in times, and where receivers are about to refuse signatures as too old, in ms. */
const WARN_MS = 2_000
const FAIL_MS = 60_000

const TODO = 'Let NTP (chrony, systemd-timesyncd) set the clocks of both machines.'

/** `aheadMs`: how far the other clock is before this machine's. `errorMs`: how wrong that can be. */
export const compareClocks = (whose: string, aheadMs: number, errorMs: number): Finding => {
  const apart = Math.abs(aheadMs) - errorMs
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const found = `${whose} clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`
  if (apart > FAIL_MS) return fail(`${found} Receivers will take signatures for too old.`, TODO)
  if (apart > WARN_MS) return warn(found, TODO)
  return ok(`${whose} clock agrees with this machine's.`)
}
