import { connect, createServer, type Socket } from 'node:net'
import type { Random } from './random'

/** How a link treats what it carries. */
export type Weather =
  | 'clear'
  /** Nothing arrives in either direction, and no connection ends. */
  | 'partition'
  /** Nothing arrives of what the server sends: for it, a client that is frozen. */
  | 'no responses'
  /** 200 ms in each direction, and 1 % of the packets lost. */
  | 'slow'

export type Link = {
  port: number
  set: (weather: Weather) => void
  /** Ends all connections; the next ones go to another port. */
  redirect: (port: number) => void
  stop: () => void
}

const DELAY_MS = 200
const LOSS = 0.01
/** What TCP waits before it sends a lost packet again: what follows waits as well. */
const RETRANSMISSION_MS = 2 * DELAY_MS

/** A TCP proxy on 127.0.0.1 between one process of Arden and a server, with the weather of a network. */
export const startLink = async (target: number, random: Random): Promise<Link> => {
  let weather: Weather = 'clear'
  let port = target
  const flows = new Set<Flow>()
  const waiting = new Set<() => void>()
  const isClosed = (from: 'client' | 'server') =>
    weather === 'partition' || (weather === 'no responses' && from === 'server')
  const delayMs = () =>
    weather === 'slow' ? DELAY_MS + (random.next() < LOSS ? RETRANSMISSION_MS : 0) : 0

  const accept = (client: Socket) => {
    const upstream = connect(port, '127.0.0.1')
    const add = (from: Socket, to: Socket, side: 'client' | 'server') => {
      const flow = createFlow(from, to, () => isClosed(side), delayMs)
      flows.add(flow)
      from.on('close', () => flows.delete(flow))
    }
    add(client, upstream, 'client')
    add(upstream, client, 'server')
  }
  const server = createServer({ pauseOnConnect: true }, client => {
    client.on('error', () => {})
    // A packet that begins a connection does not arrive either.
    if (isClosed('client')) waiting.add(() => accept(client))
    else accept(client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    set: next => {
      weather = next
      for (const flow of flows) flow.update()
      if (isClosed('client')) return
      for (const begin of waiting) begin()
      waiting.clear()
    },
    redirect: next => {
      port = next
      for (const flow of flows) flow.destroy()
    },
    stop: () => {
      for (const flow of flows) flow.destroy()
      server.close()
    },
  }
}

type Flow = ReturnType<typeof createFlow>

/** One direction of a connection, in order. While it is closed nothing is read, so that the sender's buffers fill. */
const createFlow = (from: Socket, to: Socket, isClosed: () => boolean, delayMs: () => number) => {
  const queue: { chunk: Buffer; due: number }[] = []
  let lastDue = 0
  let hasEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    if (isClosed()) return
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const waitMs = next.due - performance.now()
      if (waitMs > 0) {
        timer = setTimeout(flush, waitMs)
        return
      }
      queue.shift()
      to.write(next.chunk)
    }
    if (hasEnded) to.destroy()
  }
  const schedule = () => {
    if (timer === undefined) flush()
  }
  from.on('data', (chunk: Buffer) => {
    lastDue = Math.max(lastDue, performance.now() + delayMs())
    queue.push({ chunk, due: lastDue })
    schedule()
  })
  from.on('error', () => {})
  from.on('close', () => {
    hasEnded = true
    schedule()
  })
  const update = () => {
    if (isClosed()) from.pause()
    else from.resume()
    schedule()
  }
  update()
  return {
    update,
    destroy: () => {
      clearTimeout(timer)
      from.destroy()
      to.destroy()
    },
  }
}
