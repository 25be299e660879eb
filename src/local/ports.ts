import { createServer } from 'node:net'
import { StartError } from '../errors'

/**
 * A TCP port of 127.0.0.1 that is free now. Another program can take it first, so callers retry with another
 * one.
 */
export const findFreePort = async (): Promise<number> => {
  const port = await listenOnce(0)
  if (port === undefined)
    throw new StartError('No TCP port is free on 127.0.0.1. Stop programs that use ports.')
  return port
}

/** Whether `port` of 127.0.0.1 is unused now. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await listenOnce(port)) !== undefined

/** Whether `host` is an address of this machine. */
export const canListenOn = async (host: string): Promise<boolean> =>
  (await listenOnce(0, host.replace(/^\[(.*)\]$/, '$1'))) !== undefined

const listenOnce = (port: number, host = '127.0.0.1') =>
  new Promise<number | undefined>(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      const bound = typeof address === 'object' ? address?.port : undefined
      server.close(() => resolve(bound))
    })
  })
