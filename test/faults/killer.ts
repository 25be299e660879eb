import { until } from '../support/until'
import type { Disturbance } from './check/history'
import type { Scene } from './fault'
import type { Part, Parts } from './parts'
import type { Random } from './random'

/** How long a part stays away, in ms. */
const AWAY_MS = [200, 3_000] as const
/** Time limit for the load to reach the next kill, and for a part to restart, in seconds. */
const WAIT_S = 120

/**
 * Kills `kills` parts, each kind as often as the others, when the load has got to random points of the way, and
 * starts each again a little later. Resolves when all parts are back.
 */
export const runKiller = async (scene: Scene): Promise<void> => {
  const { parts, random, kills, reached, disturbances, say } = scene
  const away = new Map<Part, Promise<void>>()
  const bringBack = async (part: Part, kill: Disturbance) => {
    await Bun.sleep(random.between(...AWAY_MS))
    await part.start()
    kill.until = performance.now()
    if (part === parts.postgres || part === parts.temporal) kill.repeatsUntil = kill.until
    away.delete(part)
    say(`${part.name} is back after ${((kill.until - kill.at) / 1000).toFixed(1)} s`)
  }
  for (const [n, part] of victims(parts, random, kills).entries()) {
    const point = (n + random.next()) / kills
    await until(`the load gets to ${point.toFixed(2)}`, () => reached() >= point, WAIT_S)
    await away.get(part)
    const at = performance.now()
    // `serve` has no part in sending, and a worker interrupts what it sends at that moment.
    const repeatsUntil = part === parts.serve ? Number.NEGATIVE_INFINITY : at
    const kill = { name: part.name, at, until: Number.POSITIVE_INFINITY, repeatsUntil }
    disturbances.push(kill)
    say(`kill ${n + 1} of ${kills}: ${part.name}`)
    await part.kill()
    away.set(part, bringBack(part, kill))
  }
  await Promise.all(away.values())
}

/** One of each kind, in any order, then one of each again. */
const victims = ({ postgres, temporal, serve, workers }: Parts, random: Random, count: number) => {
  const victims: Part[] = []
  while (victims.length < count)
    victims.push(...random.shuffled<Part>([postgres, temporal, serve, random.pick(workers)]))
  return victims.slice(0, count)
}
