/**
 * The load generator, in its own process and with the same connections for baseline and product. autocannon
 * takes 0.017 ms of CPU for a request, a tenth of what Arden takes.
 */
import autocannon from 'autocannon'
import { handleJobs } from '../parts/child'

export type LoadJob = {
  url: string
  method?: 'GET' | 'POST'
  body?: string
  /**
   * API keys, rotated from a different start on each connection. Without keys there is no header.
   */
  keys: string[]
  /** Whether each request has an `Idempotency-Key`, as those of the SDK and the dashboard have. */
  idempotent?: boolean
  connections: number
} & ({ seconds: number } | { count: number })

export type LoadResult = {
  requests: number
  /** From the first request to the last response. */
  seconds: number
  /** Number of responses by status. */
  statuses: Record<string, number>
}

const run = crypto.randomUUID()
let number = 0
const withIdempotencyKey = (request: autocannon.Request): autocannon.Request => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': `${run}-${++number}` },
})

/** Sampling interval of autocannon, in ms. */
const SAMPLE_MS = 20

handleJobs<LoadJob, LoadResult>(async job => {
  const { url, method = 'GET', body, keys, idempotent = false, connections } = job
  const requests = (keys.length > 0 ? keys : [undefined]).map(key => ({
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    ...(idempotent && { setupRequest: withIdempotencyKey }),
  }))
  let client = 0
  const statuses: LoadResult['statuses'] = {}
  let began = 0
  let last = 0
  const runLoad = () =>
    new Promise<void>((resolve, reject) => {
      const options: autocannon.Options = {
        url,
        method,
        ...(body !== undefined && { body }),
        connections,
        ...('seconds' in job ? { duration: job.seconds } : { amount: job.count }),
        sampleInt: SAMPLE_MS,
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
          error ??
          (result.errors > 0 ? new Error(`${result.errors} requests without a response`) : null)
        if (failed) reject(failed)
        else resolve()
      })
      instance.on('response', (_client, status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        last = performance.now()
      })
    })
  // In one second, the duration in CI, a busy machine may not respond to any request.
  do await runLoad()
  while (last === 0)
  const responses = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return { requests: responses, seconds: (last - began) / 1000, statuses }
})
