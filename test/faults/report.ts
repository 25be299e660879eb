import type { Report } from './run'

/** Largest number of violations of a promise that are printed. */
const SHOWN = 20
const WIDTH = 62

/** Prints one line for each promise, and what broke it. Returns the number of broken promises. */
export const printReport = (
  name: string,
  { verdicts, load, disturbances, latency }: Report,
  say: (line: string) => void,
): number => {
  const count = (value: number) => value.toLocaleString('en')
  const times = Map.groupBy(disturbances, one => one.name)
  say('')
  const counts = [...times].map(([what, all]) => `${what} ${all.length}`)
  say(counts.length > 1 ? `${name}: ${counts.join(', ')}` : name)
  say(
    `${count(load.expected.length)} events of ${count(load.changes)} changes with a 2xx response; ${count(load.uncertain)} changes without one`,
  )
  for (const [when, { count: of, p50, p99, max }] of Object.entries(latency))
    if (of > 0)
      say(`first request, ${when}: p50 ${p50} ms, p99 ${p99} ms, slowest ${max} ms (${count(of)})`)
  for (const { promise, contract, cases, broken } of verdicts) {
    const kept = Math.max(cases - broken.length, 0)
    const what = `${promise} (${contract})`
    say(
      `${broken.length === 0 ? 'ok    ' : 'BROKEN'}  ${what.padEnd(WIDTH)}  ${count(kept)} of ${count(cases)}`,
    )
    for (const one of broken.slice(0, SHOWN)) say(`          ${one}`)
    if (broken.length > SHOWN) say(`          and ${count(broken.length - SHOWN)} more`)
  }
  say('')
  return verdicts.filter(one => one.broken.length > 0).length
}
