/**
 * Which delivery a claimer tries to claim next: by account, then by webhook, then by kind and position (contract 5.3). It
 * knows what the log of `delivery_queue` has said, does no I/O, and decides nothing: a claim succeeds or fails in
 * PostgreSQL.
 *
 * A webhook is in one place at a time: in the rounds, where a turn takes one delivery of it; or apart until something
 * happens, so that turns cost the same, whatever waits.
 */
import { type Entry, KIND, type Position } from './entry'
import { createFifo } from './fifo'
import { createFloors } from './floors'
import { createLimits } from './limits'
import { addFirst, addFrom, addPosition, isEmpty, setRead } from './positions'
import { createRounds } from './rounds'
import { createTimers } from './timers'
import {
  advance,
  block,
  createWebhook,
  DEFER_MS,
  type FairQueueOptions,
  isValid,
  nextKind,
  type Outcome,
  pause,
  type QueuedWebhook,
  type Reading,
  rememberIfInProgress,
  SLOW_EVERY,
  type State,
  type Turn,
  turnAt,
  type Webhook,
  waits,
} from './webhook'

export type FairQueue = ReturnType<typeof createFairQueue>

export const createFairQueue = ({
  capacity,
  isPreferred = () => true,
  isFull = () => false,
}: FairQueueOptions) => {
  const webhooks = new Map<string, Webhook>()
  const accounts = new Map<string, number>()
  const rounds = createRounds<Turn>()
  const slowRounds = createRounds<Turn>()
  const atLimit = createFifo<Turn>()
  const ofFull = createFifo<Turn>()
  const later = createTimers<Turn>()
  const limits = createLimits(capacity)
  const floors = createFloors()
  let readings: { webhook: Webhook; kind: number }[] = []
  let turns = 0

  const webhookOf = ({ accountId, webhookId }: Pick<Entry, 'accountId' | 'webhookId'>) => {
    const present = webhooks.get(webhookId)
    if (present !== undefined) return present
    const created = createWebhook(accountId, webhookId, floors.take(webhookId))
    webhooks.set(webhookId, created)
    return created
  }

  const forget = ({ id, floor }: Webhook) => {
    webhooks.delete(id)
    if (floor > 0) floors.keep(id, floor)
  }

  const enterRounds = (webhook: Webhook, isIdle?: boolean) => {
    const idle = {
      account: isIdle ?? !accounts.has(webhook.accountId),
      webhook: isIdle ?? webhook.inProgress.size === 0,
    }
    if (limits.isSlow(webhook)) slowRounds.add(turnAt(webhook, 'slow'), idle)
    else rounds.add(turnAt(webhook, 'rounds'), idle)
  }

  /** Where a webhook goes that is in no place. */
  const settle = (webhook: Webhook, now: number, isIdle?: boolean) => {
    webhook.place = 'nowhere'
    if (webhook.isPaused) return
    if (webhook.lists.every(isEmpty)) {
      if (webhook.inProgress.size === 0) forget(webhook)
    } else if (webhook.lists.every(({ known }) => known.length === 0) && !isPreferred(webhook.id))
      later.add(turnAt(webhook, 'deferred'), now + DEFER_MS)
    else enterRounds(webhook, isIdle)
  }

  /** Uses the turn: returns an entry, or moves the webhook to where it waits. */
  const takeOf = (webhook: Webhook, now: number): Entry | undefined => {
    webhook.place = 'nowhere'
    if (webhook.isPaused) return undefined
    const isOfFull = isFull(webhook.accountId)
    if (isOfFull || limits.isReached(webhook, now)) {
      const line = isOfFull ? ofFull : atLimit
      line.push(turnAt(webhook, 'limit'))
      return undefined
    }
    const kind = nextKind(webhook, now)
    const list = kind === undefined ? undefined : webhook.lists[kind]
    if (kind === undefined || list === undefined) {
      if (webhook.lists.every(isEmpty)) settle(webhook, now)
      // Else only rows of an order are left, which wait for the one before.
      else if (Number.isFinite(webhook.blockedUntil))
        later.add(turnAt(webhook, 'blocked'), webhook.blockedUntil)
      return undefined
    }
    const position = list.known.shift()
    if (position === undefined) {
      turnAt(webhook, 'reading')
      readings.push({ webhook, kind })
      return undefined
    }
    start(webhook, kind, position.id, now)
    settle(webhook, now)
    return { accountId: webhook.accountId, webhookId: webhook.id, kind, ...position }
  }

  const start = (webhook: Webhook, kind: number, id: string, now: number) => {
    webhook.inProgress.set(id, { kind, at: now })
    webhook.sinceRedelivery = kind === KIND.redelivery ? 0 : webhook.sinceRedelivery + 1
    // The next of the order waits until this one ends, or until it is announced.
    if (kind === KIND.inOrder) webhook.blockedUntil = Number.POSITIVE_INFINITY
    accounts.set(webhook.accountId, (accounts.get(webhook.accountId) ?? 0) + 1)
    limits.start(webhook)
  }

  const end = (webhook: Webhook, kind: number, id: string) => {
    webhook.inProgress.delete(id)
    if (kind === KIND.inOrder) webhook.blockedUntil = 0
    const left = (accounts.get(webhook.accountId) ?? 1) - 1
    if (left === 0) accounts.delete(webhook.accountId)
    else accounts.set(webhook.accountId, left)
    limits.end(webhook)
  }

  const finish = ({ webhookId, kind, id }: Entry, now: number) => {
    const webhook = webhooks.get(webhookId)
    const ended = webhook?.inProgress.get(id)
    if (webhook === undefined || ended === undefined) return
    end(webhook, kind, id)
    if (ended.again !== undefined) add(ended.again, now)
    else if (waits(webhook)) settle(webhook, now)
  }

  const add = (entry: Entry, now: number) => {
    const webhook = webhookOf(entry)
    const list = webhook.lists[entry.kind]
    if (list === undefined || rememberIfInProgress(webhook, entry)) return
    const { sequence, id } = entry
    if (isPreferred(entry.webhookId)) addPosition(list, { sequence, id })
    else addFrom(list, { sequence, id })
    webhook.isPaused = false
    if (entry.kind === KIND.inOrder) webhook.blockedUntil = 0
    if (waits(webhook)) settle(webhook, now)
  }

  const nextWebhook = (): Webhook | undefined => {
    const isSlowsTurn = ++turns % SLOW_EVERY === 0
    const order = isSlowsTurn ? [slowRounds, rounds] : [rounds, slowRounds]
    for (const line of order) {
      if (line === slowRounds && !limits.hasSlowRoom()) continue
      for (let turn = line.next(); turn !== undefined; turn = line.next())
        if (isValid(turn)) return turn.webhook
    }
    return undefined
  }

  return {
    /**
     * Adds a row that waits. One that is known changes nothing, but ends every wait of its webhook. One in progress is
     * added when it ends, for the log names it only once: where that was wrong, its claim finds it gone.
     */
    add,

    /** A row after which there can be more of its webhook: a backlog, which is in no hurry. It is tried first. */
    addFirst: ({ isPaused, ...first }: QueuedWebhook, now: number): void => {
      const isKnown = webhooks.has(first.webhookId)
      const webhook = webhookOf(first)
      const list = webhook.lists[first.kind]
      if (list === undefined) return
      if (isPreferred(webhook.id) && !webhook.inProgress.has(first.id)) addFirst(list, first)
      else addFrom(list, first)
      // What the log said of a webhook that is known can be newer than this.
      webhook.isPaused = isPaused && (webhook.isPaused || !isKnown)
      webhook.blockedUntil = 0
      if (waits(webhook)) settle(webhook, now, false)
    },

    /** Takes up to `most` entries, the next in turn first. They count as in progress until `finish` or `report`. */
    take: (most: number, now: number): Entry[] => {
      for (const turn of later.due(now)) if (isValid(turn)) enterRounds(turn.webhook)
      for (const line of [atLimit, ofFull])
        for (let n = 0; n < most && line.size() > 0; ) {
          const turn = line.shift()
          if (turn === undefined || !isValid(turn)) continue
          enterRounds(turn.webhook)
          n++
        }
      const taken: Entry[] = []
      while (taken.length + readings.length < most) {
        const webhook = nextWebhook()
        if (webhook === undefined) break
        const entry = takeOf(webhook, now)
        if (entry !== undefined) taken.push(entry)
      }
      return taken
    },

    /** What has to be read before more can be taken. Each is to be given to `setRead`. */
    readings: (): Reading[] => {
      const requested = readings.flatMap(({ webhook, kind }) => {
        const from = webhook.lists[kind]?.from
        return from === undefined
          ? []
          : [{ accountId: webhook.accountId, webhookId: webhook.id, kind, from }]
      })
      readings = []
      return requested
    },

    /** The result of a reading; `isAll`: nothing follows. The webhook's turn is the next of its account. */
    setRead: (reading: Reading, read: Position[], isAll: boolean): void => {
      const { accountId, webhookId, kind, from } = reading
      const webhook = webhooks.get(webhookId)
      const list = webhook?.lists[kind]
      if (webhook === undefined || list === undefined) return
      // Where an earlier position was added meanwhile, it is read again from there.
      if (list.from === from) {
        const free = read.filter(
          one => !rememberIfInProgress(webhook, { accountId, webhookId, kind, ...one }),
        )
        setRead(list, free, isAll ? undefined : read.at(-1))
      }
      enterRounds(webhook, true)
    },

    /** The reading has failed: it is returned again with the next turn of the webhook. */
    readAgain: ({ webhookId }: Reading): void => {
      const webhook = webhooks.get(webhookId)
      if (webhook !== undefined) enterRounds(webhook, true)
    },

    /** What a claim of a taken entry reported. */
    report: (entry: Entry, outcome: Outcome, now: number): void => {
      const webhook = webhooks.get(entry.webhookId)
      const list = webhook?.lists[entry.kind]
      if (webhook === undefined || list === undefined) return
      const present = webhook.inProgress.get(entry.id)
      // What was read of this row before its claim is older than what the claim found.
      if (present?.again?.kind === entry.kind) present.again = undefined
      if (outcome === 'claimed' || outcome === 'unordered') {
        if (entry.kind !== KIND.inOrder) return
        advance(webhook, entry, outcome)
        if (waits(webhook)) settle(webhook, now)
        return
      }
      if (outcome !== 'gone') addPosition(list, { sequence: entry.sequence, id: entry.id })
      finish(entry, now)
      if (outcome === 'paused') pause(webhook)
      if (outcome === 'blocked') block(webhook, now)
    },

    /** The delivery is not in progress any more. */
    finish,

    /** The numbers that claims of an order use. */
    floorOf: (webhookId: string): number => webhooks.get(webhookId)?.floor ?? 0,

    /** The capacity, the slow webhooks and what other claimers have in progress, before each claim. */
    setState: (state: State): void => {
      const { slowBefore, freed } = limits.setState(state, id => webhooks.get(id))
      for (const id of slowBefore.union(state.slow)) {
        const webhook = webhooks.get(id)
        const isMoved = webhook?.place === (state.slow.has(id) ? 'rounds' : 'slow')
        if (webhook !== undefined && isMoved) enterRounds(webhook)
      }
      // One of which attempts have ended does not wait behind those that hang.
      for (const id of freed) {
        const webhook = webhooks.get(id)
        if (webhook?.place === 'limit') enterRounds(webhook)
      }
    },

    /** Forgets what waits, and what is in progress unless it `isKept`. */
    clear: (isKept: (id: string) => boolean): void => {
      for (const webhook of webhooks.values()) {
        for (const [id, { kind }] of webhook.inProgress) if (!isKept(id)) end(webhook, kind, id)
        for (const list of webhook.lists) Object.assign(list, { known: [], from: undefined })
        turnAt(webhook, 'nowhere')
        if (webhook.inProgress.size === 0) forget(webhook)
      }
      readings = []
    },

    nextAt: later.nextAt,
    isLimited: () => atLimit.size() + ofFull.size() > 0,
  }
}
