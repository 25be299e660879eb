/** How many attempts of a webhook may be in progress (docs/decisions/fairness.md). A slot is one attempt at a time. */

/** `slots` and the fractions of them that the two limits share out. */
export type Capacity = {
  slots: number
  /** Of this fraction of all slots, a webhook may have half of what is free. */
  shared: number
  /** Of this one, a thirty-second of what is free, where none of its attempts is late. */
  quick: number
}

/** A lane makes first attempts alone: the retries have the slots of Temporal. */
export const laneCapacity = (slots: number): Capacity => ({ slots, shared: 1 / 2, quick: 1 })

/** The workflows' attempts have all slots, retries included, whose share is by account (`retryLimit`). */
export const workflowCapacity = (slots: number): Capacity => ({
  slots,
  shared: 1 / 4,
  quick: 1 / 2,
})

/** An attempt in progress for this long is late, in ms. */
export const LATE_MS = 5_000

/** Most attempts of a webhook that may be in progress, while `inProgress` are, of all webhooks. */
export const limitOf = (
  { slots, shared, quick }: Capacity,
  inProgress: number,
  webhook: { isSlow: boolean; isLate: boolean },
): number => {
  if (webhook.isSlow) return 1
  const share = halfOfFree(Math.floor(slots * shared), inProgress)
  if (webhook.isLate) return share
  return Math.max(share, Math.floor((Math.floor(slots * quick) - inProgress) / 32))
}

/** Most attempts of all slow webhooks together. */
export const slowLimit = ({ slots }: Capacity): number => Math.max(1, Math.floor(slots / 8))

/** Most retries that workflows make at a time in a worker with so many slots, of all accounts together. */
export const retryLimit = (slots: number): number =>
  Math.max(1, Math.floor(slots * workflowCapacity(slots).shared))

/** Most retries of an account that may be in progress, while `inProgress` are, of all accounts. */
export const retryLimitOfAccount = (slots: number, inProgress: number): number =>
  halfOfFree(retryLimit(slots), inProgress)

const halfOfFree = (most: number, inProgress: number) =>
  Math.max(1, Math.floor((most - inProgress) / 2))
