import { type Capacity, limitOf, slowLimit } from './capacity'
import { hasLate, type Outside, type State, type Webhook } from './webhook'

/** What a fair queue counts against the limits of capacity.ts. Without a capacity there are none. */
export const createLimits = (initial: Capacity | undefined) => {
  let capacity = initial
  let slow: ReadonlySet<string> = new Set()
  let outside: ReadonlyMap<string, Outside> = new Map()
  /** Attempts in progress: the claimer's own; at the last `setState` with those of others; those of slow webhooks. */
  let [own, all, ofSlow] = [0, 0, 0]

  const outsideOf = (id: string) => outside.get(id)?.count ?? 0
  const countOf = ({ id, inProgress }: Webhook) => inProgress.size + outsideOf(id)

  return {
    isSlow: ({ id }: Webhook): boolean => slow.has(id),
    hasSlowRoom: (): boolean => capacity === undefined || ofSlow < slowLimit(capacity),

    /** Whether as many attempts of the webhook are in progress as may be. */
    isReached: (webhook: Webhook, now: number): boolean => {
      if (capacity === undefined) return false
      const isLate = hasLate(webhook, now) || (outside.get(webhook.id)?.isLate ?? false)
      const isSlow = slow.has(webhook.id)
      return countOf(webhook) >= limitOf(capacity, all, { isSlow, isLate })
    },

    start: ({ id }: Webhook): void => {
      own++
      if (slow.has(id)) ofSlow++
    },
    end: ({ id }: Webhook): void => {
      own--
      if (slow.has(id)) ofSlow--
    },

    /** Returns which webhooks were slow before, and those of which others have fewer attempts in progress than before. */
    setState: (
      state: State,
      webhookOf: (id: string) => Webhook | undefined,
    ): { slowBefore: ReadonlySet<string>; freed: string[] } => {
      const before = { slow, outside }
      capacity = state.capacity ?? capacity
      outside = state.outside ?? outside
      all = own
      for (const { count } of outside.values()) all += count
      slow = state.slow
      ofSlow = 0
      for (const id of slow) {
        const webhook = webhookOf(id)
        ofSlow += webhook === undefined ? outsideOf(id) : countOf(webhook)
      }
      const freed = [...before.outside].filter(([id, { count }]) => outsideOf(id) < count)
      return { slowBefore: before.slow, freed: freed.map(([id]) => id) }
    },
  }
}
