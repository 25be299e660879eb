import { get } from 'node:http'
import { hostname } from 'node:os'
import { Command } from '@commander-js/extra-typings'
import { readConfig } from '../config'
import { StartError } from '../errors'
import { reportsAt } from '../temporal/heartbeat'
import { withDatabase } from './connection'
import { print } from './print'

/** In ms; what asks for the health of a container gives up after about five seconds. */
const ANSWER_MS = 4_000

/** For where there is neither a shell nor curl, as in the image: exit code 0 when the process is well. */
export const healthCommand = () =>
  new Command('health')
    .description('Say whether the process that runs beside this command is well: exit code 0 or 1.')
    .addCommand(
      new Command('serve')
        .description('Whether /readyz of the API on PORT answers 200.')
        .action(async () => {
          const { host, port } = readConfig(process.env)
          const url = `http://${reachable(host)}:${port}/readyz`
          const status = await statusOf(url)
          if (status !== 200)
            throw new StartError(
              `${url} answered ${status}. Its log says why; \`arden doctor\` looks further.`,
            )
          print(`${url} answered 200.`)
        }),
    )
    .addCommand(
      new Command('worker')
        .description('Whether a worker of this machine or container reports to PostgreSQL.')
        .action(async () => {
          if (!(await withDatabase(sql => reportsAt(sql, hostname()))))
            throw new StartError(
              `No worker of ${hostname()} has reported to PostgreSQL lately. Its log says why; \`arden doctor\` looks further.`,
            )
          print(`A worker of ${hostname()} reports.`)
        }),
    )

/** Where a server that listens on every address can be reached from here. */
const reachable = (host: string) => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** By node:http, which leaves HTTP_PROXY alone. */
const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const request = get(url, { timeout: ANSWER_MS }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.once('timeout', () =>
      request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)),
    )
    request.once('error', error =>
      reject(
        new StartError(`${url} cannot be asked: ${error.message}. Is \`arden serve\` running?`),
      ),
    )
  })
