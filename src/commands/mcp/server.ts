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
import { commandError, describeRefusedKey } from '../api/connection'
import { modeOfKey } from '../profiles'
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

/** `keyPlace`: where the key is set and how it is replaced, for a key that the API refuses. */
type Connection = { api: Arden; key: string; url: string; keyPlace: string }

/** An MCP server for one API key: its tools are those that the key may use (contract 3.2). */
export const createMcpServer = (connection: Connection): McpServer => {
  const mcp = new McpServer(
    { name: 'arden', title: 'Arden', version },
    { capabilities: { tools: {} }, instructions: toInstructions(connection.key) },
  )
  // Below `registerTool`, which takes schemas of zod: the API's own are of TypeBox.
  mcp.server.setRequestHandler(ListToolsRequestSchema, async () => {
    const scopes = await readScopes(connection)
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
    return callTool(connection, found, params.arguments ?? {})
  })
  return mcp
}

const toInstructions = (key: string): string =>
  `Arden generates articles and reports every change by signed webhooks. ${
    modeOfKey(key) === 'test'
      ? 'The API key is of test mode: it sees and changes test records only, and nothing it does is billed.'
      : 'The API key is live: it changes the records of production, and generations count against the plan. Confirm changes with the user.'
  } For a question about an event that did not arrive, call explain_delivery.`

const readScopes = async (connection: Connection) => {
  try {
    return (await connection.api.get('/api-keys/current')).data.scopes
  } catch (error) {
    if (!(error instanceof ArdenError)) throw error
    throw new McpError(ErrorCode.InternalError, explainError(error, connection))
  }
}

/** An error of the API is a result, so that the model reads it and corrects its call. */
const callTool = async (
  connection: Connection,
  { call }: Tool,
  given: unknown,
): Promise<CallToolResult> => {
  try {
    const result = await call(connection.api, given)
    return toResult(typeof result === 'string' ? result : JSON.stringify(result))
  } catch (error) {
    if (error instanceof ArdenError)
      return { ...toResult(explainError(error, connection)), isError: true }
    if (error instanceof DomainError) return { ...toResult(error.message), isError: true }
    throw error
  }
}

const explainError = (error: ArdenError, { key, url, keyPlace }: Connection): string =>
  error.code === 'UNAUTHORIZED'
    ? `${describeRefusedKey(key, error)} ${keyPlace}`
    : commandError(error, url).message

const toResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
