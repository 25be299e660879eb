import { until } from '../support/until'
import type { Arrival, Disturbance, History } from './check/history'
import type { Parts, Postgres } from './parts'
import type { Random } from './random'

/** What a fault acts on, while the load runs. */
export type Scene = {
  parts: Parts
  random: Random
  /** How far the load is, 0 to 1. */
  reached: () => number
  /** How long what is held is held, in ms. */
  holdMs: number
  /** How many parts are killed. */
  kills: number
  disturbances: Disturbance[]
  /** Requests that receivers got so far. */
  arrivals: readonly Arrival[]
  say: (line: string) => void
}

export type Fault = {
  name: string
  /** One line of the help. */
  about: string
  /** Why it cannot run on this machine; undefined where it can. */
  missing?: () => string | undefined
  failover?: History['failover']
  /** Called with the folder of PostgreSQL before its first start. Returns its undoing. */
  beforePostgres?: (dir: string) => () => void
  /** Called before the processes of Arden start. Returns its undoing. */
  beforeArden?: (postgres: Postgres, random: Random) => Promise<() => Promise<void>>
  /** A file that each process of Arden loads first. */
  preload?: string
  /** Disturbs the parts while the load runs. Resolves when all of them work again. */
  run: (scene: Scene) => Promise<void>
}

/** The part of the load before and after a fault that is held. */
const BEFORE = 0.25
/** Time limit for the load to get there, in seconds. */
const WAIT_S = 120

/** Begins something when a part of the load is done, and ends it after `holdMs`. */
export const hold =
  (name: string, begin: (scene: Scene) => Promise<() => unknown>): Fault['run'] =>
  async scene => {
    const { reached, holdMs, disturbances, say } = scene
    await until('the load begins', () => reached() >= BEFORE, WAIT_S)
    const disturbance: Disturbance = {
      name,
      at: performance.now(),
      until: Number.POSITIVE_INFINITY,
      repeatsUntil: Number.POSITIVE_INFINITY,
    }
    disturbances.push(disturbance)
    say(`${name} begins`)
    const end = await begin(scene)
    await Bun.sleep(holdMs)
    await end()
    disturbance.until = performance.now()
    disturbance.repeatsUntil = disturbance.until
    say(`${name} ended after ${((disturbance.until - disturbance.at) / 1000).toFixed(1)} s`)
  }
