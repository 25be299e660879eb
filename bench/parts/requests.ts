import type { LoadJob, LoadResult } from '../processes/load'
import type { Child } from './child'
import type { Deployment } from './deployment'
import type { Measurement } from './rounds'

/** Concurrent connections, for baseline and product. */
export const CONNECTIONS = 32

export type LoadGenerator = Child<LoadJob, LoadResult>

/**
 * Measures requests a second.
 * @throws when a response has a status other than `expected`.
 */
export const measureRequests = async (
  deployment: Deployment,
  load: LoadGenerator,
  job: LoadJob,
  expected: number[] = [200],
): Promise<Measurement> => {
  const { cpu, requests, seconds } = await deployment.cpu(async () => {
    const done = await load.run(job)
    const wrong = Object.entries(done.statuses).filter(([code]) => !expected.includes(Number(code)))
    if (wrong.length > 0)
      throw new Error(
        `${job.url} responded with ${JSON.stringify(done.statuses)} where ${expected.join(' or ')} was expected`,
      )
    return { ...done, operations: done.requests }
  })
  return { value: requests / seconds, cpu }
}
