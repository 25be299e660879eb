import { until } from '../support/until'
import type { Part, Parts } from './parts'
import type { Random } from './random'

/** `performance.now()` of the kill, and of the moment when the part worked again. */
export type Kill = { part: Part['name']; at: number; backAt: number }

/** How long a part stays away, in ms. */
const AWAY_MS = [200, 3_000] as const
/** Time limit for the load to reach the next kill, and for a part to restart, in seconds. */
const WAIT_S = 120

/**
 * Kills `count` parts, each kind as often as the others, when the load has got to random points of the
 * way, and starts each again a little later. `reached` is how far the load is, 0 to 1. Resolves when all
 * parts are back.
 */
export const runKiller = async (
  kills: Kill[],
  options: {
    parts: Parts
    random: Random
    count: number
    reached: () => number
    say: (line: string) => void
  },
): Promise<void> => {
  const { parts, random, count, reached, say } = options
  const away = new Map<Part, Promise<void>>()
  const bringBack = async (part: Part, kill: Kill) => {
    await Bun.sleep(random.between(...AWAY_MS))
    await part.start()
    kill.backAt = performance.now()
    away.delete(part)
    say(`${part.name} is back after ${((kill.backAt - kill.at) / 1000).toFixed(1)} s`)
  }
  for (const [n, part] of victims(parts, random, count).entries()) {
    const point = (n + random.next()) / count
    await until(`the load gets to ${point.toFixed(2)}`, () => reached() >= point, WAIT_S)
    await away.get(part)
    const kill: Kill = { part: part.name, at: performance.now(), backAt: Number.POSITIVE_INFINITY }
    kills.push(kill)
    say(`kill ${n + 1} of ${count}: ${part.name}`)
    await part.kill()
    away.set(part, bringBack(part, kill))
  }
  await Promise.all(away.values())
}

/** One of each kind, in any order, then one of each again. */
const victims = (parts: Parts, random: Random, count: number): Part[] => {
  const victims: Part[] = []
  const [first, ...rest] = parts.workers
  if (first === undefined) return []
  while (victims.length < count)
    victims.push(...random.shuffled([...parts.others, random.pick([first, ...rest])]))
  return victims.slice(0, count)
}
