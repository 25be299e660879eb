/** Webhooks without anything in the queue whose floor is kept. */
const KEPT_MAX = 10_000

/**
 * Floors of ordered webhooks of which nothing else is known: the least recently kept is forgotten first. Without its
 * floor a claim is right too, but reads the entries of the order's finished deliveries that no vacuum has removed yet.
 */
export const createFloors = () => {
  const kept = new Map<string, number>()
  return {
    keep: (webhookId: string, floor: number): void => {
      kept.set(webhookId, floor)
      const [oldest] = kept.keys()
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    },
    /** Removes and returns it; 0 where it is not known. */
    take: (webhookId: string): number => {
      const floor = kept.get(webhookId) ?? 0
      kept.delete(webhookId)
      return floor
    },
  }
}
