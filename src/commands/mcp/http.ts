import { createArden } from '@arden/sdk'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { type HttpServer, startHttpServer } from '../../http/server'
import { isApiKey } from '../api/connection'
import { createMcpServer } from './server'

/**
 * Streamable HTTP on the loopback interface. Threats: another user or program of this machine, and a page in a browser,
 * which can send requests to loopback addresses, directly or with a host name that resolves to them. So each request
 * needs an API key of its own, a loopback `Host`, and no `Origin` but a loopback one.
 */
const HOST = '127.0.0.1'
const PATH = '/mcp'
const LOOPBACK = /^(localhost|127\.0\.0\.1)(:\d+)?$/
/** Where clients set the key, and how they get one. */
const KEY_HEADER =
  'the header `Authorization: Bearer <API_KEY>` in the configuration of the MCP client'
const SET_KEY = `Set ${KEY_HEADER}. Create a key in the dashboard, or with: arden keys create --name agent --mode test`

/** @throws {StartError} when the port is in use. */
export const startMcpHttp = ({ port, url }: { port: number; url: string }): HttpServer => {
  const server = startHttpServer(
    { fetch: request => handle(request, url), server: undefined },
    { host: HOST, port, setting: '--port' },
  )
  return { ...server, url: server.url + PATH }
}

const handle = async (request: Request, url: string): Promise<Response> => {
  if (!isLocal(request))
    return refuse(403, 'Only programs of this machine may connect: Host or Origin is another one.')
  if (new URL(request.url).pathname !== PATH) return refuse(404, `The MCP server is at ${PATH}.`)
  // Without sessions there is no stream for the server's own messages: it sends none.
  if (request.method !== 'POST') return refuse(405, 'Send messages with POST.', { Allow: 'POST' })
  const key = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (key === undefined || !isApiKey(key))
    return refuse(
      401,
      `${key === undefined ? 'The MCP client sent no API key.' : 'The value that the MCP client sent is not an API key: a key begins with ar_live_ or ar_test_.'} ${SET_KEY}`,
      { 'WWW-Authenticate': 'Bearer' },
    )
  const mcp = createMcpServer({
    api: createArden({ url, apiKey: key }),
    key,
    url,
    keyPlace: `The key is that of ${KEY_HEADER}. Replace it there.`,
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await mcp.connect(transport)
  try {
    return await transport.handleRequest(request)
  } finally {
    await mcp.close()
  }
}

const isLocal = ({ headers }: Request): boolean => {
  const origin = headers.get('origin')
  return (
    LOOPBACK.test(headers.get('host') ?? '') &&
    (origin === null || LOOPBACK.test(URL.parse(origin)?.host ?? ''))
  )
}

/** An error as JSON-RPC has it, which clients show. */
const refuse = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status, headers })
