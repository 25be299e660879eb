import { hostname } from 'node:os'
import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../../config'
import { StartError } from '../../errors'
import { httpGet } from '../../local/http-get'
import { hasLiveWorker } from '../../temporal/heartbeat'
import { print, printJson } from '../print'
import { withDatabase } from './database'

/** In ms; what asks for the health of a container gives up after about five seconds. */
const ANSWER_MS = 4_000

/** For where there is neither a shell nor curl, as in the image: exit code 0 when the process is well. */
export const healthCommand = () =>
  new Command('health')
    .description('Say whether the process that runs beside this command is well: exit code 0 or 1.')
    .addCommand(
      new Command('serve')
        .description('Whether /readyz of the API on PORT answers 200.')
        .option('--json', 'print it as one JSON object, also when it is not well')
        .action(async ({ json }) => {
          const { host, port } = readConfig(process.env)
          const url = `http://${reachable(host)}:${port}/readyz`
          const say = (status: number | null) => {
            if (json) printJson({ well: status === 200, url, status })
          }
          const { status } = await httpGet(url, ANSWER_MS).catch(error => {
            say(null)
            throw new StartError(
              `${url} cannot be asked: ${error.message}. Is \`arden serve\` running?`,
            )
          })
          say(status)
          if (status !== 200)
            throw new StartError(
              `${url} answered ${status}. Its log says why; \`arden doctor\` looks further.`,
            )
          if (!json) print(`${url} answered 200.`)
        }),
    )
    .addCommand(
      new Command('worker')
        .description('Whether a worker of this machine or container reports to PostgreSQL.')
        .option('--json', 'print it as one JSON object, also when it is not well')
        .action(async ({ json }) => {
          const well = await withDatabase(sql => hasLiveWorker(sql, hostname()))
          if (json) printJson({ well, host: hostname() })
          if (!well)
            throw new StartError(
              `No worker of ${hostname()} has reported to PostgreSQL lately. Its log says why; \`arden doctor\` looks further.`,
            )
          if (!json) print(`A worker of ${hostname()} reports.`)
        }),
    )

/** Where a server that listens on every address can be reached from here. */
const reachable = (host: string) => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
