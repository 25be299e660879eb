import { createServer } from 'node:net'
import { StartError } from '../errors'

/**
 * A TCP port of 127.0.0.1 that was free a moment ago. Another program can take it before the caller
 * does, so whoever listens on it tries again with the next one.
 */
export const findFreePort = async (): Promise<number> => {
  const port = await listenOnce(0)
  if (port === undefined)
    throw new StartError('No TCP port is free on 127.0.0.1. Stop some programs.')
  return port
}

/** Whether nothing listens on `port` of 127.0.0.1 now. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await listenOnce(port)) !== undefined

const listenOnce = (port: number) =>
  new Promise<number | undefined>(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      const bound = typeof address === 'object' ? address?.port : undefined
      server.close(() => resolve(bound))
    })
  })
