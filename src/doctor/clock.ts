import { type Finding, fail, ok, warn } from './check'

/**
 * A difference that is visible in timestamps, and one at which receivers soon reject signatures as too old,
 * in ms.
 */
const WARN_MS = 2_000
const FAIL_MS = 60_000

const TODO = 'Synchronize the clocks of both machines by NTP (chrony, systemd-timesyncd).'

/**
 * `aheadMs`: how far the other clock is ahead of this machine's. `errorMs`: uncertainty of that.
 */
export const compareClocks = (whose: string, aheadMs: number, errorMs: number): Finding => {
  const apart = Math.abs(aheadMs) - errorMs
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const found = `${whose} clock is ${errorMs > WARN_MS ? 'up to ' : ''}${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`
  if (apart > FAIL_MS) return fail(`${found} Receivers will reject signatures as too old.`, TODO)
  if (apart > WARN_MS) return warn(found, TODO)
  return ok(`${whose} clock agrees with this machine's.`)
}
