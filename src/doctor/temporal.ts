import type { Config } from '../config'
import type { Temporal } from '../temporal/connection'
import { areSearchAttributesUsable, SEARCH_ATTRIBUTES } from '../temporal/search-attributes'
import { type TemporalConfig, temporalSettings } from '../temporal/settings'
import { type Checks, describeCause, type Finding, fail, ok, warn } from './check'
import { type CallTemporal, pollerChecks } from './pollers'

/** For one call, in ms. Less than a look may take, so that the reason is Temporal's own. */
const CALL_MS = 6_000
/**
 * What an operator terminates is learnt from the workflow's history, by a worker: the history must outlive
 * a night without one. In s.
 */
const SHORTEST_RETENTION_S = 24 * 3600
const DAY_S = 24 * 3600
/** gRPC's code. */
const NOT_FOUND = 5

/** Temporal, its namespace, and who polls there. Every call is a reading one. */
export const temporalChecks = (
  connect: () => Promise<Temporal>,
  config: Config & TemporalConfig,
): Checks => {
  const ask: CallTemporal = async question => {
    const temporal = await connect()
    return temporal.connection.withDeadline(Date.now() + CALL_MS, () => question(temporal))
  }
  return {
    temporal: () => checkServer(ask, config),
    namespace: () => checkNamespace(ask),
    'eager start': () => checkEagerStart(ask),
    'workflow retention': () => checkRetention(ask, config.retentionDays),
    'search attributes': () => checkSearchAttributes(ask),
    ...pollerChecks(ask, config.taskQueue),
  }
}

const checkServer = async (ask: CallTemporal, config: TemporalConfig): Promise<Finding> => {
  const where = temporalSettings(config).connectionOptions.address ?? 'localhost:7233'
  try {
    const info = await ask(({ connection }) => connection.workflowService.getSystemInfo({}))
    return ok(`Temporal ${info.serverVersion} at ${where}.`)
  } catch (error) {
    return fail(
      `Temporal at ${where} cannot be used: ${describeCause(error)}.`,
      'Check that it runs, TEMPORAL_ADDRESS, and TEMPORAL_TLS_* and TEMPORAL_API_KEY where it asks for them. The API works without it; nothing is sent.',
    )
  }
}

const describeNamespace = (ask: CallTemporal) =>
  ask(({ connection, namespace }) => connection.workflowService.describeNamespace({ namespace }))

const checkNamespace = async (ask: CallTemporal): Promise<Finding> => {
  const name = await ask(async ({ namespace }) => namespace)
  try {
    await describeNamespace(ask)
    return ok(`The namespace ${name} is there.`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NOT_FOUND)) throw error
    return fail(
      `There is no namespace ${name}.`,
      `Set TEMPORAL_NAMESPACE, or make it: temporal operator namespace create -n ${name} --retention 7d`,
    )
  }
}

const checkEagerStart = async (ask: CallTemporal): Promise<Finding> => {
  const { namespaceInfo } = await describeNamespace(ask)
  return namespaceInfo?.capabilities?.eagerWorkflowStart
    ? ok('A workflow begins with its start, without waiting for a poll.')
    : warn(
        'Temporal does not start workflows eagerly: each delivery waits for a poll, and costs more.',
        'Upgrade Temporal to 1.29 or newer, or set system.enableEagerWorkflowStart in its dynamic configuration.',
      )
}

const checkRetention = async (ask: CallTemporal, ourDays: number): Promise<Finding> => {
  const { config, namespaceInfo } = await describeNamespace(ask)
  const update = (days: number) =>
    `temporal operator namespace update -n ${namespaceInfo?.name} --retention ${days}d`
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0)
  const days = Number((seconds / DAY_S).toFixed(1))
  const found = `Temporal shows a workflow for ${days} ${days === 1 ? 'day' : 'days'} after its end`
  if (seconds < SHORTEST_RETENTION_S)
    return warn(
      `${found}: what you terminate there while no worker runs may be sent again.`,
      `Let it keep them for a day at least: ${update(Math.min(7, ourDays))}`,
    )
  if (days > ourDays)
    return warn(
      `${found}, which is longer than Arden keeps its events (ARDEN_RETENTION_DAYS, ${ourDays}): ids and hosts of receivers outlive them.`,
      `Run: ${update(ourDays)}`,
    )
  return ok(`${found}; Arden keeps its events for ${ourDays}.`)
}

const checkSearchAttributes = async (ask: CallTemporal): Promise<Finding> => {
  await describeNamespace(ask) // One that is not there has none, either, and that is another matter.
  const names = Object.keys(SEARCH_ATTRIBUTES).join(', ')
  return (await ask(areSearchAttributesUsable))
    ? ok(`${names} are registered.`)
    : warn(
        "Arden's search attributes are not registered: workflows start without them.",
        `Run: arden migrate. Where it may not, register ${names} as Keyword.`,
      )
}
