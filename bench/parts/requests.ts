import type { Load, LoadJob } from '../processes/load'
import type { Child } from './child'
import type { Stage } from './stage'
import type { Turn } from './turns'

/** Callers at a time, of floor and product. */
export const CONNECTIONS = 32

export type LoadGenerator = Child<LoadJob, Load>

/**
 * A turn of requests, in requests a second.
 * @throws where another status came than `expected`: it would measure something else.
 */
export const turnOf = async (
  stage: Stage,
  load: LoadGenerator,
  job: LoadJob,
  expected: number[] = [200],
): Promise<Turn> => {
  const { cpu, requests, seconds } = await stage.cpu(async () => {
    const done = await load.ask(job)
    const wrong = Object.entries(done.statuses).filter(([code]) => !expected.includes(Number(code)))
    if (wrong.length > 0)
      throw new Error(
        `${job.url} answered ${JSON.stringify(done.statuses)} where ${expected.join(' or ')} was expected`,
      )
    return { ...done, operations: done.requests }
  })
  return { value: requests / seconds, cpu }
}
