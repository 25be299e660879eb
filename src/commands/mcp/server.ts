import { type Arden, ArdenError } from '@arden/sdk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { DomainError } from '../../errors'
import { version } from '../../version'
import { commandError } from '../api/connection'
import { articleTools, generationTools, keywordTools, projectTools } from './content-tools'
import { deliveryTools } from './delivery-tools'
import type { Tool } from './tool'

const TOOLS: readonly Tool[] = [
  ...deliveryTools,
  ...projectTools,
  ...keywordTools,
  ...generationTools,
  ...articleTools,
]

const BY_NAME = new Map(TOOLS.map(one => [one.name, one]))

type Connection = { api: Arden; key: string; url: string }

/** An MCP server for one API key: its tools are those that the key may use (contract 3.2). */
export const createMcpServer = ({ api, key, url }: Connection): McpServer => {
  const mcp = new McpServer(
    { name: 'arden', title: 'Arden', version },
    { capabilities: { tools: {} }, instructions: toInstructions(key) },
  )
  // Below `registerTool`, which takes schemas of zod: the API's own are of TypeBox.
  mcp.server.setRequestHandler(ListToolsRequestSchema, async () => {
    const scopes = await readScopes({ api, url })
    return {
      tools: TOOLS.filter(one => one.scope === 'read' || scopes.includes('write')).map(
        ({ name, description, annotations, input }) => ({
          name,
          description,
          annotations,
          inputSchema: { ...input, type: 'object' as const },
        }),
      ),
    }
  })
  mcp.server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const found = BY_NAME.get(params.name)
    if (found === undefined)
      throw new McpError(ErrorCode.InvalidParams, `Arden has no tool ${params.name}.`)
    return callTool({ api, url }, found, params.arguments ?? {})
  })
  return mcp
}

const toInstructions = (key: string): string =>
  `Arden generates articles and reports every change by signed webhooks. ${
    key.startsWith('ar_test_')
      ? 'The API key is of test mode: it sees and changes test records only, and nothing it does is billed.'
      : 'The API key is live: it changes the records of production, and generations count against the plan. Confirm changes with the user.'
  } For a question about an event that did not arrive, call explain_delivery.`

const readScopes = async ({ api, url }: Omit<Connection, 'key'>) => {
  try {
    return (await api.get('/api-keys/current')).data.scopes
  } catch (error) {
    if (!(error instanceof ArdenError)) throw error
    throw new McpError(ErrorCode.InternalError, commandError(error, url).message)
  }
}

/** An error of the API is a result, so that the model reads it and corrects its call. */
const callTool = async (
  { api, url }: Omit<Connection, 'key'>,
  { call }: Tool,
  given: unknown,
): Promise<CallToolResult> => {
  try {
    const result = await call(api, given)
    return toResult(typeof result === 'string' ? result : JSON.stringify(result))
  } catch (error) {
    if (error instanceof ArdenError)
      return { ...toResult(commandError(error, url).message), isError: true }
    if (error instanceof DomainError) return { ...toResult(error.message), isError: true }
    throw error
  }
}

const toResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
