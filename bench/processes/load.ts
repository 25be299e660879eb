/**
 * The load generator, in a process of its own: the same one, with as many connections, for floor and product.
 * autocannon takes 0.017 ms of CPU for a request where Arden takes ten times that and more.
 */
import autocannon from 'autocannon'
import { answerJobs } from '../parts/child'

export type LoadJob = {
  url: string
  method?: 'GET' | 'POST'
  body?: string
  /** API keys, taken in turn: each connection begins somewhere else. None, and there is no header. */
  keys: string[]
  connections: number
} & ({ seconds: number } | { count: number })

export type Load = {
  requests: number
  /** From the first request to the last answer. */
  seconds: number
  /** How often each status came. */
  statuses: Record<string, number>
}

/** Between looks whether it is over, in ms. */
const LOOK_MS = 20

answerJobs<LoadJob, Load>(async job => {
  const { url, method = 'GET', body, keys, connections } = job
  const requests = (keys.length > 0 ? keys : [undefined]).map(key => ({
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
  }))
  let client = 0
  const statuses: Load['statuses'] = {}
  let began = 0
  let last = 0
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const options: autocannon.Options = {
        url,
        method,
        ...(body !== undefined && { body }),
        connections,
        ...('seconds' in job ? { duration: job.seconds } : { amount: job.count }),
        sampleInt: LOOK_MS,
        requests: requests.slice(0, 1),
        setupClient: one => {
          const from = Math.floor((client++ * requests.length) / connections)
          if (requests.length > 1)
            one.setRequests([...requests.slice(from), ...requests.slice(0, from)])
        },
      }
      began = performance.now()
      const instance = autocannon(options, (error, result) => {
        const failed =
          error ?? (result.errors > 0 ? new Error(`${result.errors} not answered`) : null)
        if (failed) reject(failed)
        else resolve()
      })
      instance.on('response', (_client, status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        last = performance.now()
      })
    })
  // One second, as long as CI runs each bench, can end before a busy machine has answered anything.
  do await turn()
  while (last === 0)
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return { requests: answered, seconds: (last - began) / 1000, statuses }
})
