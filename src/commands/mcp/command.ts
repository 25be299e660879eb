import { createArden } from '@arden/sdk'
import { EXIT, StartError } from '../../errors'
import { waitForStopSignal } from '../../signals'
import { type ApiOptions, apiCommand, connectionOf, findUrl } from '../api/connection'
import { wholeNumber } from '../number'
import { printNote } from '../print'

const PORT_DEFAULT = 3333

export const mcpCommand = () =>
  apiCommand('mcp')
    .description(
      'Serve the Model Context Protocol, so that an agent can use Arden: over stdin and stdout, or over HTTP.',
    )
    .option('--http', 'Streamable HTTP on 127.0.0.1; each request carries its API key')
    .option('--port <port>', `TCP port of --http; default: ${PORT_DEFAULT}`, wholeNumber(0, 65_535))
    .addHelpText(
      'after',
      '\nExample, for Claude Code:\n  claude mcp add arden --env ARDEN_API_KEY=ar_test_... -- arden mcp',
    )
    .action(async ({ http, port, ...options }) => {
      if (http === undefined) {
        if (port !== undefined)
          throw new StartError('--port is that of --http. Add --http, or leave it out.', {
            exitCode: EXIT.usage,
          })
        return serveStdio(options)
      }
      if (options.key !== undefined || options.profile !== undefined)
        throw new StartError(
          'With --http each request carries the API key of its client, so --key and --profile are not used. Leave them out.',
          { exitCode: EXIT.usage },
        )
      const { startMcpHttp } = await import('./http')
      const server = startMcpHttp({ port: port ?? PORT_DEFAULT, url: await findUrl(options.url) })
      printNote('dim', `The MCP server is at ${server.url}. Ctrl-C ends it.`)
      await waitForStopSignal(server.stop)
    })

/** Until the client closes stdin. Nothing but messages may be printed on stdout. */
const serveStdio = async (options: ApiOptions) => {
  const { key, url, keySource } = await connectionOf(options)
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const { createMcpServer } = await import('./server')
  if (process.stdin.isTTY)
    printNote('dim', 'Waiting for an MCP client on stdin: an agent starts this command.')
  const keyPlace = `The key is that of ${keySource}. Replace it there, for a profile with \`arden login\`, and restart the MCP server.`
  await createMcpServer({ api: createArden({ url, apiKey: key }), key, url, keyPlace }).connect(
    new StdioServerTransport(),
  )
}
