import type { Config } from '../config'
import type { Sql } from '../db/connect'
import type { Temporal } from '../temporal/connection'
import { areSearchAttributesUsable, SEARCH_ATTRIBUTES } from '../temporal/search-attributes'
import { type TemporalConfig, temporalSettings } from '../temporal/settings'
import { type Checks, describeCause, type Finding, fail, ok, warn } from './check'
import { type CallTemporal, pollerChecks } from './pollers'

/**
 * Timeout of a call, in ms. Shorter than that of a check, so that the finding has Temporal's own error.
 */
const CALL_MS = 6_000
/**
 * Minimum retention of closed workflows, in seconds: a worker reads from the history that an operator
 * terminated a workflow, so it must outlast a night without a worker.
 */
const SHORTEST_RETENTION_S = 24 * 3600
const DAY_S = 24 * 3600
/** gRPC status code. */
const NOT_FOUND = 5

/** Checks of Temporal, its namespace and its pollers. All calls are reads. */
export const temporalChecks = (
  connect: () => Promise<Temporal>,
  config: Config & TemporalConfig,
  sql: Sql | undefined,
): Checks => {
  const call: CallTemporal = async request => {
    const temporal = await connect()
    return temporal.connection.withDeadline(Date.now() + CALL_MS, () => request(temporal))
  }
  return {
    temporal: () => checkServer(call, config),
    namespace: () => checkNamespace(call),
    'eager start': () => checkEagerStart(call),
    'workflow retention': () => checkRetention(call, config.retentionDays),
    'search attributes': () => checkSearchAttributes(call),
    ...pollerChecks(call, config.taskQueue, sql),
  }
}

const checkServer = async (call: CallTemporal, config: TemporalConfig): Promise<Finding> => {
  const where = temporalSettings(config).connectionOptions.address ?? 'localhost:7233'
  try {
    const info = await call(({ connection }) => connection.workflowService.getSystemInfo({}))
    return ok(`Temporal ${info.serverVersion} at ${where}.`)
  } catch (error) {
    return fail(
      `Temporal at ${where} cannot be used: ${describeCause(error)}.`,
      'Check that it is running, and check TEMPORAL_ADDRESS and, if it requires them, TEMPORAL_TLS_* and TEMPORAL_API_KEY. Without Temporal the API works, and deliveries wait; with ARDEN_WORKFLOWS=on-retry only retries do.',
    )
  }
}

const describeNamespace = (call: CallTemporal) =>
  call(({ connection, namespace }) => connection.workflowService.describeNamespace({ namespace }))

const checkNamespace = async (call: CallTemporal): Promise<Finding> => {
  const name = await call(async ({ namespace }) => namespace)
  try {
    await describeNamespace(call)
    return ok(`The namespace ${name} exists.`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NOT_FOUND)) throw error
    return fail(
      `The namespace ${name} does not exist.`,
      `Set TEMPORAL_NAMESPACE, or create it: temporal operator namespace create -n ${name} --retention 7d`,
    )
  }
}

const checkEagerStart = async (call: CallTemporal): Promise<Finding> => {
  const { namespaceInfo } = await describeNamespace(call)
  return namespaceInfo?.capabilities?.eagerWorkflowStart
    ? ok('Workflows start eagerly, without waiting for a poll.')
    : warn(
        'Temporal does not start workflows eagerly: each delivery waits for a poll, which takes longer and costs more CPU.',
        'Upgrade Temporal to 1.29 or newer, or set system.enableEagerWorkflowStart in its dynamic configuration.',
      )
}

const checkRetention = async (call: CallTemporal, ourDays: number): Promise<Finding> => {
  const { config, namespaceInfo } = await describeNamespace(call)
  const update = (days: number) =>
    `temporal operator namespace update -n ${namespaceInfo?.name} --retention ${days}d`
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0)
  const days = Number((seconds / DAY_S).toFixed(1))
  const found = `Temporal keeps closed workflows for ${days} ${days === 1 ? 'day' : 'days'}`
  if (seconds < SHORTEST_RETENTION_S)
    return warn(
      `${found}: a delivery that you terminate there while no worker is running may be sent again.`,
      `Keep them for at least one day: ${update(Math.min(7, ourDays))}`,
    )
  if (days > ourDays)
    return warn(
      `${found}, which is longer than Arden keeps its events (ARDEN_RETENTION_DAYS, ${ourDays}): ids and hosts of receivers remain after the events are deleted.`,
      `Run: ${update(ourDays)}`,
    )
  return ok(`${found}; Arden keeps events for ${ourDays}.`)
}

const checkSearchAttributes = async (call: CallTemporal): Promise<Finding> => {
  await describeNamespace(call) // Throws for a missing namespace, which has a check of its own.
  const names = Object.keys(SEARCH_ATTRIBUTES).join(', ')
  return (await call(areSearchAttributesUsable))
    ? ok(`${names} are registered.`)
    : warn(
        "Arden's search attributes are not registered: workflows start without them.",
        `Run: arden migrate. If it lacks the permission, register ${names} as Keyword.`,
      )
}
