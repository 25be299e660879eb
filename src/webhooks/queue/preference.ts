/**
 * Whether a claimer is the one that tries a webhook's deliveries first; the others leave it half a second. By rendezvous
 * hashing: when a claimer comes or goes, only its webhooks change.
 */
export const isPreferred = (id: string, claimers: string[], webhookId: string): boolean => {
  const own = Bun.hash(id + webhookId)
  return !claimers.includes(id) || claimers.every(other => Bun.hash(other + webhookId) <= own)
}
