import api from '../../../docs/api.md' with { type: 'text' }
import cli from '../../../docs/cli.md' with { type: 'text' }
import content from '../../../docs/content.md' with { type: 'text' }
import contract from '../../../docs/contract.md' with { type: 'text' }
import mcp from '../../../docs/mcp.md' with { type: 'text' }
import quickstart from '../../../docs/quickstart.md' with { type: 'text' }
import verify from '../../../docs/verify.md' with { type: 'text' }
import webhooks from '../../../docs/webhooks.md' with { type: 'text' }

/** The guides for users of this version, in the order of their links. */
export const GUIDES: ReadonlyMap<string, string> = new Map(
  Object.entries({ quickstart, api, webhooks, verify, content, cli, mcp, contract }),
)
