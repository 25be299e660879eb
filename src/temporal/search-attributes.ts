import { setTimeout as sleep } from 'node:timers/promises'
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common'
import type { Log } from '../log'
import { CALL_TIMEOUT_MS, type Temporal } from './connection'

/** Search attributes by which operators find workflows in the Temporal UI. Registered by `dev`, tests and `migrate`. */
export const SEARCH_ATTRIBUTES = {
  ArdenAccount: 'Keyword',
  ArdenWebhook: 'Keyword',
  ArdenEvent: 'Keyword',
  ArdenEventId: 'Keyword',
} as const

/** The search attributes of one workflow. */
export type SearchAttributes = { [name in keyof typeof SEARCH_ATTRIBUTES]?: string }

/** INDEXED_VALUE_TYPE_KEYWORD of Temporal's API. */
const KEYWORD = 2
/** Time until a registered attribute is usable, in ms: servers cache the list of a namespace. */
const USABLE_TIMEOUT_MS = 30_000
/** Time until every server knows a new namespace, in ms. */
const NAMESPACE_TIMEOUT_MS = 15_000
const POLL_INTERVAL_MS = 200

/** The search attributes in the form of the SDK. */
export const searchAttributes = (values: SearchAttributes): SearchAttributePair[] =>
  Object.entries(values).map(([name, value]) => ({
    key: defineSearchAttributeKey(name, 'KEYWORD'),
    value,
  }))

/** Whether workflows may carry the search attributes: Temporal refuses a start with unknown ones. */
export type SearchAttributeRegistration = {
  isUsable: () => boolean
  /** Registers what is missing. Concurrent calls share one registration. @throws while Temporal is unavailable. */
  ensure: () => Promise<void>
}

/**
 * Assumes that they are usable until Temporal refuses to register them: a worker can start while visibility is
 * unavailable, and a store that was lost is found empty by the first start that names them. After a refusal each call
 * tries it again, without repeating the log line.
 */
export const createSearchAttributeRegistration = (
  temporal: Temporal,
  log: Log,
): SearchAttributeRegistration => {
  const silent = log.child({}, { level: 'silent' })
  let isUsable = true
  let running: Promise<void> | undefined
  const register = async () => {
    const wasUsable = isUsable
    isUsable = await ensureSearchAttributes(temporal, wasUsable ? log : silent)
    if (isUsable && !wasUsable)
      log.info('The search attributes of Arden are usable: workflows start with them.')
  }
  return {
    isUsable: () => isUsable,
    ensure: async () => {
      running ??= register().finally(() => {
        running = undefined
      })
      await running
    },
  }
}

/** Whether Temporal refused a call because its namespace does not know a search attribute. */
export const isUnknownSearchAttribute = (error: unknown): boolean =>
  error instanceof Error &&
  (/search attribute/i.test(error.message) || isUnknownSearchAttribute(error.cause))

/**
 * Registers missing search attributes and waits until they are usable. Returns false, with a log line, where that is not
 * possible (Temporal Cloud, or no permission): workflows then start without them.
 * @throws while Temporal is unavailable.
 */
export const ensureSearchAttributes = async (temporal: Temporal, log: Log): Promise<boolean> => {
  const { connection, namespace } = temporal
  const call = <T>(fn: () => Promise<T>) =>
    connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, fn)
  const isUsable = () => call(() => areSearchAttributesUsable(temporal))
  if (await isUsable()) return true
  try {
    await onceNamespaceExists(() => call(() => register(connection, namespace)))
    for (
      const end = Date.now() + USABLE_TIMEOUT_MS;
      Date.now() < end;
      await sleep(POLL_INTERVAL_MS)
    )
      if (await isUsable()) return true
    log.warn(
      'The search attributes of Arden are registered in Temporal but not usable yet. Workflows start without them until they are.',
    )
  } catch (error) {
    if (isTemporalUnavailable(error)) throw error
    if (isNotFound(error)) {
      log.error(
        `Temporal has no namespace "${namespace}". Create it, or correct TEMPORAL_NAMESPACE.`,
      )
      return false
    }
    const reason = error instanceof Error ? error.message : String(error)
    log.warn(
      `Temporal refused to register the search attributes of Arden (${reason}). Workflows start without them; register ${Object.keys(SEARCH_ATTRIBUTES).join(', ')} as Keyword to search by them.`,
    )
  }
  return false
}

/** @throws while Temporal is unavailable. */
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
    if (isTemporalUnavailable(error)) throw error
    return false
  }
}

/** Retries while the server does not know the namespace, until a time-out. */
const onceNamespaceExists = async (register: () => Promise<void>): Promise<void> => {
  const end = Date.now() + NAMESPACE_TIMEOUT_MS
  for (;;)
    try {
      return await register()
    } catch (error) {
      if (!isNotFound(error) || Date.now() > end) throw error
      await sleep(POLL_INTERVAL_MS)
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

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? error.code : undefined

/** gRPC's NOT_FOUND. */
const isNotFound = (error: unknown) => codeOf(error) === 5

/** gRPC's CANCELLED (the time-out of a call to a frozen server), DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE. */
const isTemporalUnavailable = (error: unknown) => [1, 4, 8, 14].some(code => codeOf(error) === code)
