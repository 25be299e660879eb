/** The fast local receiver of deliveries, in a process of its own. Asked, it tells how many have come. */
import { answerJobs } from '../parts/child'

export type ReceiverAnswer = {
  /** Answers at once. */
  url: string
  /** Never answers. */
  silentUrl: string
  received: number
  /** Requests that wait for an answer that never comes. */
  silent: number
}

let received = 0
let waiting = 0
const quick = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async request => {
    await request.arrayBuffer()
    received++
    return new Response('ok')
  },
})
const silent = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: () => {
    waiting++
    return new Promise<Response>(() => {})
  },
})

answerJobs<'received', ReceiverAnswer>(async () => ({
  url: `http://127.0.0.1:${quick.port}/hook`,
  silentUrl: `http://127.0.0.1:${silent.port}/hook`,
  received,
  silent: waiting,
}))
