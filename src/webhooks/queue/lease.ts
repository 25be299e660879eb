import { randomUUID } from 'node:crypto'
import { type Sql, withTimeout } from '../../db/connect'
import { releaseClaimer, renewLease, type Work } from './statements'

type LeaseOptions = {
  work: Work
  /** Ids of the deliveries that this claimer has in progress. */
  inProgress: () => string[]
  /** Called when rows of a claimer were released. */
  onReleased: () => void
}

/** Time between renewals of a lease, in ms. */
export const RENEW_MS = 1_000
/**
 * How long another claimer does not renew a lease that has ended before its rows are released, in ms. After an outage of
 * PostgreSQL all leases have ended, and each is renewed within two seconds.
 */
const DEAD_AFTER_MS = 2_000
/** Time-out of a release, in ms: it reads the whole queue. */
const RELEASE_TIMEOUT_MS = 60_000
/**
 * Pause after a release that failed or was not complete, as a multiple of the time that it took, and the longest one in
 * ms.
 */
const RELEASE_PAUSES = 10
const RELEASE_PAUSE_MAX_MS = 60_000

/**
 * The id under which a claimer claims, for as long as it renews its lease. Releases the rows of claimers whose lease has
 * ended.
 */
export const createLease = (sql: Sql, { work, inProgress, onReleased }: LeaseOptions) => {
  /** Ids under which it has claimed before, whose rows are not released yet. */
  const lostIds = new Set<string>()
  /** When the release of an id may be tried again; infinite while it is in progress. */
  const releaseAt = new Map<string, number>()
  let id = randomUUID()
  /** Whether it has claimed under this id. */
  let hasClaimed = false
  let renewedAt = Number.NEGATIVE_INFINITY
  let renewing: Promise<void> | undefined
  /** Other claimers whose lease has ended, and since when that is known. */
  let endedSince = new Map<string, number>()

  const renewNow = async () => {
    const began = performance.now()
    const ended = await withTimeout(renewLease(sql, id, work))
    renewedAt = began
    endedSince = new Map(ended.map(other => [other, endedSince.get(other) ?? began]))
    for (const [other, since] of endedSince)
      if (began - since >= DEAD_AFTER_MS && !lostIds.has(other)) void releaseLater(other)
    for (const lost of lostIds) void releaseLater(lost)
  }
  /** Renews the lease, unless that was done less than a second ago. Concurrent calls share one statement. */
  const renew = async () => {
    if (performance.now() - renewedAt < RENEW_MS) return
    renewing ??= renewNow().finally(() => {
      renewing = undefined
    })
    await renewing
  }

  /**
   * Releases rows of a claimer that has ended, or of this one under an id before. No claim waits for it, because it reads
   * the whole queue. When it fails or is not complete, a later renewal of the lease tries again.
   */
  const releaseLater = async (claimer: string) => {
    const began = performance.now()
    if (began < (releaseAt.get(claimer) ?? 0)) return
    releaseAt.set(claimer, Number.POSITIVE_INFINITY)
    const [heir, kept] = lostIds.has(claimer) ? [id, inProgress()] : [null, []]
    const releasing = withTimeout(releaseClaimer(sql, claimer, heir, kept), RELEASE_TIMEOUT_MS)
    if (await releasing.catch(() => false)) {
      releaseAt.delete(claimer)
      lostIds.delete(claimer)
      onReleased()
    } else {
      const now = performance.now()
      releaseAt.set(claimer, now + Math.min(RELEASE_PAUSE_MAX_MS, (now - began) * RELEASE_PAUSES))
    }
  }

  const expire = () => {
    renewedAt = Number.NEGATIVE_INFINITY
  }

  return {
    /** The id to claim under from now on. */
    idToClaim: (): string => {
      hasClaimed = true
      return id
    },
    id: () => id,
    /** The ids under which it has claimed what it has. */
    ids: () => [id, ...lostIds],
    renew,
    /** The lease has ended: the next `renew` does not wait. */
    expire,
    isExpired: () => renewedAt === Number.NEGATIVE_INFINITY,
    releaseLater,

    /**
     * Continues under another id, because the result of a claim was lost: what the old one has claimed unknown to this
     * process becomes claimable, which the log says, and the rest moves to the new id.
     */
    changeId: () => {
      if (!hasClaimed) return
      lostIds.add(id)
      id = randomUUID()
      hasClaimed = false
      expire()
    },

    /** Renews it until `signal` aborts, also while a claim is slow or none is made. */
    keep: (signal: AbortSignal): void => {
      const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS / 2)
      signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },

    /** Releases everything that is claimed under its ids. */
    end: async (): Promise<void> => {
      for (const one of [id, ...lostIds]) await releaseClaimer(sql, one)
    },
  }
}
