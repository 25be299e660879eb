import { setTimeout as sleep } from 'node:timers/promises'
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import type { Log } from '../log'
import { CALL_TIMEOUT_MS, type Temporal } from './connection'

/** By these an operator finds a delivery or a generation in the Temporal UI. Registered by `dev`, tests and `migrate`. */
export const SEARCH_ATTRIBUTES = {
  ArdenAccount: 'Keyword',
  ArdenWebhook: 'Keyword',
  ArdenEvent: 'Keyword',
} as const

/** Those a workflow has. */
export type SearchAttributes = { [name in keyof typeof SEARCH_ATTRIBUTES]?: string }

/** INDEXED_VALUE_TYPE_KEYWORD of Temporal's API. */
const KEYWORD = 2
/** Servers keep the list of a namespace for some seconds. */
const USABLE_WITHIN_MS = 30_000
/** And do not know a namespace for some seconds that was just made. */
const KNOWN_WITHIN_MS = 15_000
const LOOK_AGAIN_MS = 200

/** The search attributes of a workflow, where the names are those above. */
export const searchAttributes = (values: SearchAttributes): SearchAttributePair[] =>
  Object.entries(values).map(([name, value]) => ({
    key: defineSearchAttributeKey(name, 'KEYWORD'),
    value,
  }))

/**
 * Registers what is missing and waits until it can be used. Answers false, after one log line, where that
 * is not possible (Temporal Cloud, or no permission): workflows then start without them.
 * @throws when Temporal is away.
 */
export const ensureSearchAttributes = async (temporal: Temporal, log: Log): Promise<boolean> => {
  const { connection, namespace } = temporal
  const call = <T>(fn: () => Promise<T>) =>
    connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, fn)
  const isUsable = () => call(() => areSearchAttributesUsable(temporal))
  if (await isUsable()) return true
  try {
    await whenKnown(() => call(() => register(connection, namespace)))
    for (
      const giveUp = Date.now() + USABLE_WITHIN_MS;
      Date.now() < giveUp;
      await sleep(LOOK_AGAIN_MS)
    )
      if (await isUsable()) return true
    log.warn('The search attributes of Arden are registered in Temporal but not usable yet.')
  } catch (error) {
    if (isAway(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    log.warn(
      `Temporal does not let Arden register its search attributes (${reason}). Workflows start without them; register ${Object.keys(SEARCH_ATTRIBUTES).join(', ')} as Keyword to search by them.`,
    )
  }
  return false
}

/** @throws when Temporal is away. */
export const areSearchAttributesUsable = async ({
  connection,
  namespace,
}: Temporal): Promise<boolean> => {
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map(name => `${name} = 'none'`)
    .join(' OR ')
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query })
    return true
  } catch (error) {
    if (isAway(error)) throw error
    return false
  }
}

/** Calls again while the server does not know the namespace, for a while. */
const whenKnown = async (register: () => Promise<void>): Promise<void> => {
  const giveUp = Date.now() + KNOWN_WITHIN_MS
  for (;;)
    try {
      return await register()
    } catch (error) {
      if (!isNotFound(error) || Date.now() > giveUp) throw error
      await sleep(LOOK_AGAIN_MS)
    }
}

const register = async (connection: Temporal['connection'], namespace: string) => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  const missing = Object.keys(SEARCH_ATTRIBUTES).filter(name => !(name in customAttributes))
  if (missing.length > 0)
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(name => [name, KEYWORD])),
    })
}

/** gRPC's NOT_FOUND. */
const isNotFound = (error: unknown) => error instanceof Error && 'code' in error && error.code === 5

/** gRPC's DEADLINE_EXCEEDED and UNAVAILABLE. */
const isAway = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 4 || error.code === 14)
