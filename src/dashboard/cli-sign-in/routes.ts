import { Elysia, t } from 'elysia'
import { auditContextOf } from '../../accounts/audit'
import type { Caller } from '../../caller'
import type { Config } from '../../config'
import type { Sql } from '../../db/connect'
import { DomainError } from '../../errors'
import { type Change, withChanges } from '../../http/change'
import { setCaller, withCaller } from '../../http/request/caller'
import type { ClientAddress } from '../../http/request/client-address'
import { RequestBody } from '../../http/schema'
import { checkKeyLimit } from '../../keys/key-limit'
import { type ApiKeyWithValue, NewApiKey } from '../../keys/schema'
import { createKey } from '../../keys/store'
import { countApproval } from '../../people/sign-in-throttle'
import { lockRole } from '../../people/store'
import type { VisitorLimits } from '../../people/visitor-limits'
import { hasRole, withRole } from '../access/roles'
import { clientInfoOf } from '../access/session'
import { DASHBOARD_API, OPEN } from '../paths'
import { CHALLENGE_PATTERN } from './code'
import { type Approval, approve, consumeApproval, findApproval } from './store'

const TOPICS = ['api-keys', 'audit'] as const

const KeyFields = NewApiKey.properties
/** The member that a user types is `name`: the page shows its error there. */
const ApprovalBody = RequestBody({
  challenge: t.String({ pattern: CHALLENGE_PATTERN, maxLength: 43 }),
  name: KeyFields.name,
  mode: t.Union([t.Literal('live'), t.Literal('test')]),
  scopes: KeyFields.scopes,
})
const ClaimBody = RequestBody({ secret: t.String({ pattern: CHALLENGE_PATTERN, maxLength: 43 }) })

/** The response to a command line that waits: its key, once, or null until a user has approved it. */
export type ClaimResult = { key: ApiKeyWithValue | null }

type Deps = {
  sql: Sql
  change: Change
  clientAddress: ClientAddress
  visitorLimits: VisitorLimits
  config: Pick<Config, 'maxKeys'>
}

/** Sign-in of a command line: a signed-in user approves it, and it fetches its key (contract 3.23). */
export const cliSignInRoutes = ({ change, ...deps }: Deps) =>
  new Elysia({ normalize: false })
    .use(claimRoutes({ change, ...deps }))
    .use(approvalRoutes({ change }))

const approvalRoutes = ({ change }: Pick<Deps, 'change'>) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withChanges)
    .use(withRole)
    .post(
      '/cli-sign-ins',
      context => {
        const { challenge, ...key } = context.body
        return change(context, 201, async tx => {
          await countApproval(tx, context.caller.actor.id)
          await approve(tx, context.caller, challenge, key)
          return {}
        })
      },
      { role: 'member', changes: ['api-keys'], body: ApprovalBody },
    )

const claimRoutes = ({ sql, change, clientAddress, visitorLimits, config }: Deps) =>
  new Elysia({ prefix: OPEN, normalize: false }).post(
    '/cli-sign-in',
    async ({ request, server, path, body, set }): Promise<{ data: ClaimResult }> => {
      const { address } = clientInfoOf({ request, server }, clientAddress)
      await visitorLimits.countClaim(address)
      const approval = await findApproval(sql, body.secret)
      if (approval === undefined) return { data: { key: null } }
      const caller = callerOf(approval, address)
      // The right to create keys may have ended since the approval.
      setCaller(request, caller, async tx => {
        const role = await lockRole(tx, approval.person_id)
        if (role === undefined || !hasRole(role, 'member')) throw rightEnded(approval)
      })
      return change({ caller, topics: TOPICS, request, path, body, set }, 200, async tx => {
        if (!(await consumeApproval(tx, body.secret))) return { key: null }
        const { account_id: accountId, name, mode, scopes } = approval
        await checkKeyLimit(tx, { accountId, mode, max: config.maxKeys })
        return { key: await createKey(tx, auditContextOf(caller), { name, mode, scopes }) }
      })
    },
    { body: ClaimBody },
  )

/** The key is created by the user who approved it, from the address of the command line. */
const callerOf = ({ account_id, mode, person_id, email }: Approval, address: string): Caller => ({
  accountId: account_id,
  mode,
  actor: { type: 'user', id: person_id, name: email },
  scopes: ['write'],
  address,
})

const rightEnded = ({ email }: Approval) =>
  new DomainError(
    'FORBIDDEN',
    `${email} approved this sign-in, and may no longer create API keys. Ask an owner of the account.`,
  )
