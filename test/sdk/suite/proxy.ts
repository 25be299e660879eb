import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of a request: it is passed on; passed on and its response lost; kept without a response; or
 * responded to by the proxy.
 */
export type Fate =
  | 'pass'
  | 'lose'
  | 'hold'
  | { status: number; headers?: Record<string, string>; body?: string }

/** A proxy in front of `target` that does to each request what its plan says, then passes everything. */
export const startProxy = async (target: string, plan: Fate[]) => {
  const seen: { method: string; key: string | undefined; at: number }[] = []
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request
    const key = headers['idempotency-key']
    seen.push({ method, key: typeof key === 'string' ? key : undefined, at: performance.now() })
    const fate = plan.shift() ?? 'pass'
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (fate === 'hold') return
    if (typeof fate === 'object') {
      response.writeHead(fate.status, fate.headers)
      response.end(fate.body)
      return
    }
    const body = Buffer.concat(chunks)
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers
    const upstream = await fetch(`${target}${request.url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    const text = await upstream.text()
    if (fate === 'lose') {
      request.socket.destroy()
      return
    }
    const { 'content-length': ____, ...upstreamHeaders } = Object.fromEntries(upstream.headers)
    response.writeHead(upstream.status, upstreamHeaders)
    response.end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
