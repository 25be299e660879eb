/** A fast local receiver of deliveries, in its own process. */
import { handleJobs } from '../parts/child'

export type ReceiverStatus = {
  /** Responds at once. */
  url: string
  /** Never responds. */
  silentUrl: string
  received: number
  /** Open requests to `silentUrl`. */
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

handleJobs<'received', ReceiverStatus>(async () => ({
  url: `http://127.0.0.1:${quick.port}/hook`,
  silentUrl: `http://127.0.0.1:${silent.port}/hook`,
  received,
  silent: waiting,
}))
