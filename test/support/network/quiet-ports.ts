import { isPortFree } from '../../../src/local/ports'

/**
 * A free port below those that systems give to outgoing connections: else a client that tries a server
 * which is away could get the server's port, and keep it.
 */
export const quietPort = async (): Promise<number> => {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (await isPortFree(port)) return port
  }
}

/** So many of them, all different. */
export const quietPorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await quietPort())
  return [...ports]
}
