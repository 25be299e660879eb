import { isPortFree } from '../../../src/local/ports'

/**
 * A free port below those that systems give to outgoing connections: else a client that tries a server
 * which is away could get the server's port, and keep it.
 */
export const quietPort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + (next++ % COUNT)
    if (await isPortFree(port)) return port
  }
}

const FIRST = 15_000
const COUNT = 15_000
/** Tests in processes that run at the same time begin apart: a port is taken only some time after it was found free. */
let next = process.pid * 101

/** So many of them, all different. */
export const quietPorts = async (count: number): Promise<number[]> => {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await quietPort())
  return [...ports]
}
