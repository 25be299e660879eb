import { hostname } from 'node:os'
import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../../config'
import { StartError } from '../../errors'
import { findRunningDev } from '../../local/data-dir'
import { httpGet } from '../../local/http-get'
import { hasLiveWorker } from '../../temporal/heartbeat'
import { print, printJson } from '../print'
import { withDatabase } from './database'

/** In ms. The health check of a container times out after about 5 s. */
const TIMEOUT_MS = 4_000

/** A health check for images without a shell and curl: exit code 0 when the process is healthy. */
export const healthCommand = () =>
  new Command('health')
    .description(
      'Check the process that runs beside this command: exit code 0 when it is healthy, else 1.',
    )
    .addCommand(
      new Command('serve')
        .description(
          'Check that /readyz of the API responds 200: on PORT, else of the running dev, else on port 3000.',
        )
        .option('--json', 'print the result as one JSON object, also when it is unhealthy')
        .action(async ({ json }) => {
          const url = await findReadyUrl()
          const report = (status: number | null) => {
            if (json) printJson({ well: status === 200, url, status })
          }
          const { status } = await httpGet(url, TIMEOUT_MS).catch(error => {
            report(null)
            throw new StartError(
              `${url} cannot be reached: ${error.message}. Check that \`arden serve\` is running.`,
            )
          })
          report(status)
          if (status !== 200)
            throw new StartError(
              `${url} responded with ${status}. See the log of serve for the reason, or run \`arden doctor\`.`,
            )
          if (!json) print(`${url} responded with 200.`)
        }),
    )
    .addCommand(
      new Command('worker')
        .description(
          'Check that a worker of this machine or container sends its heartbeat to PostgreSQL.',
        )
        .option('--json', 'print the result as one JSON object, also when it is unhealthy')
        .action(async ({ json }) => {
          const report = (well: boolean) => {
            if (json) printJson({ well, host: hostname() })
          }
          const well = await withDatabase(sql => hasLiveWorker(sql, hostname())).catch(error => {
            report(false)
            // With the exit code of every unhealthy process, not that of an unreachable database.
            throw error instanceof StartError ? new StartError(error.message) : error
          })
          report(well)
          if (!well)
            throw new StartError(
              `No worker of ${hostname()} has sent a recent heartbeat to PostgreSQL. See its log for the reason, or run \`arden doctor\`.`,
            )
          if (!json) print(`A worker of ${hostname()} is running.`)
        }),
    )

/** Without PORT, that of the `dev` that runs on this data folder, which may have another one. */
const findReadyUrl = async (): Promise<string> => {
  const { host, port, dataDir } = readConfig(process.env)
  const dev = process.env.PORT ? undefined : await findRunningDev(dataDir)
  return new URL('/readyz', dev?.url ?? `http://${reachable(host)}:${port}`).href
}

/** The host to connect to, also for a server that listens on all addresses. */
const reachable = (host: string) => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
