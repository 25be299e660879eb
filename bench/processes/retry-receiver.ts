/** A local receiver that responds with 500 to the first request of each delivery, and measures how late the second is. */
import { FIRST_RETRY_DELAY_MS } from '../../src/webhooks/retry-schedule'
import { handleJobs } from '../parts/child'

export type RetryReceiverStatus = {
  url: string
  /** Milliseconds from the time of the second attempt, 5 s after the first failed, to its arrival; in order of arrival. */
  late: number[]
}

const failedAt = new Map<string, number>()
const late: number[] = []
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async request => {
    const at = performance.now()
    await request.arrayBuffer()
    const id = request.headers.get('x-webhook-delivery-id') ?? ''
    const failed = failedAt.get(id)
    if (failed !== undefined) late.push(at - failed - FIRST_RETRY_DELAY_MS)
    else failedAt.set(id, performance.now())
    return new Response('', { status: failed === undefined ? 500 : 200 })
  },
})

handleJobs<'late', RetryReceiverStatus>(async () => ({
  url: `http://127.0.0.1:${receiver.port}/hook`,
  late,
}))
