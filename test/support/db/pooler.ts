import { createServer, Socket } from 'node:net'

/**
 * A transaction pooler as small as one can be: all clients share one connection to PostgreSQL, and each has
 * it from its first message until the transaction ends. What a session holds is anybody's then.
 */
export const startPooler = (target: string) => {
  const { hostname, port } = new URL(target)
  // Connected for the first client: PostgreSQL ends a connection that does not sign in within a minute.
  const backend = new Socket()
  const clients = new Set<Socket>()
  /** The messages of the server after the first sign-in; every other client gets the same. */
  let greeting = Buffer.alloc(0)
  let signedIn = false
  let owner: Socket | undefined
  /** Queries and Syncs sent for which the response of the server is pending. */
  let pending = 0
  /** Whether its last message is one that a Sync still has to follow. */
  let begun = false
  const waiting: { client: Socket; message: Buffer }[] = []
  const first = Promise.withResolvers<void>()

  const send = (client: Socket, message: Buffer) => {
    if (owner !== undefined && owner !== client) {
      waiting.push({ client, message })
      return
    }
    owner = client
    begun = message[0] !== QUERY && message[0] !== SYNC
    if (!begun) pending++
    backend.write(message)
  }
  const release = () => {
    owner = undefined
    const next = waiting[0]?.client
    const theirs = waiting.filter(({ client }) => client === next)
    waiting.splice(0, waiting.length, ...waiting.filter(({ client }) => client !== next))
    for (const { client, message } of theirs) send(client, message)
  }

  const split = splitter()
  backend.on('data', (chunk: Buffer) => {
    for (const message of split(chunk)) {
      owner?.write(message)
      if (!signedIn && !isQuestion(message)) greeting = Buffer.concat([greeting, message])
      if (message[0] !== READY) continue
      if (signedIn) pending--
      signedIn = true
      first.resolve()
      if (pending === 0 && !begun && message[5] === IDLE) release()
    }
  })

  const server = createServer(client => {
    clients.add(client)
    const split = splitter()
    const onMessages = (chunk: Buffer) => {
      for (const message of split(chunk)) {
        if (message[0] === TERMINATE) client.destroy()
        else if (signedIn) send(client, message)
        else backend.write(message)
      }
    }
    const onStartup = (startup: Buffer) => {
      if (startup.readInt32BE(4) === TLS_WANTED) {
        client.once('data', onStartup).write('N')
        return
      }
      client.on('data', onMessages)
      if (owner === undefined && !signedIn) {
        owner = client
        backend.connect(Number(port), hostname).write(startup)
      } else first.promise.then(() => client.write(greeting))
    }
    client.on('error', () => {}).once('data', onStartup)
  })
  server.listen(0, '127.0.0.1')
  const address = server.address()
  const url = new URL(target)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.toString(),
    stop: () => {
      for (const socket of [backend, ...clients]) socket.destroy()
      server.close()
    },
  }
}

/** Types of messages, and the state of a session without a transaction. */
const [QUERY, SYNC, TERMINATE, READY, AUTHENTICATION, IDLE] = Buffer.from('QSXZRI')

/** In place of a protocol's version: the request whether the server supports TLS. */
const TLS_WANTED = 80_877_103

/** Messages during sign-in that request a response; the last one says that the sign-in is complete. */
const isQuestion = (message: Buffer) =>
  message[0] === AUTHENTICATION && message.readInt32BE(5) !== 0

/** Cuts a stream into messages: a byte of type, and a length that counts itself. */
const splitter = () => {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer): Buffer[] => {
    rest = Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1)
      messages.push(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
    return messages
  }
}
