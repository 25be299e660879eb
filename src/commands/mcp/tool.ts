import type { Arden } from '@arden/sdk'
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { TObject, TProperties, TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import { PAGE_LIMIT_MAX } from '../../db/page'
import { type Detail, invalidMembers } from '../../errors'
import { createMemberCheck, type MemberCheck } from '../../http/request/member-check'
import { Integer, RequestBody, type TypeOf } from '../../http/schema'

/** A tool of the MCP server: one call of the API, or a few. */
export type Tool = {
  name: string
  description: string
  /** The scope that its calls need. */
  scope: 'read' | 'write'
  annotations: ToolAnnotations
  /** JSON Schema of its arguments, made of the API's own schemas. */
  input: TSchema
  /**
   * Returns text, or a value that is shown as JSON.
   * @throws {DomainError} VALIDATION_ERROR for arguments that do not match `input`.
   * @throws {ArdenError} of the API.
   */
  call: (api: Arden, given: unknown) => Promise<unknown>
}

/** The effects of tools, which clients read to ask their user first. */
const EFFECTS = {
  read: { readOnlyHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  change: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  /** It sends a request to a receiver. */
  send: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
} satisfies { [effect: string]: ToolAnnotations }

export const tool = <P extends TProperties>(
  name: string,
  effect: keyof typeof EFFECTS,
  description: string,
  members: P,
  call: (api: Arden, input: TypeOf<TObject<P>>) => Promise<unknown>,
): Tool => {
  const input = RequestBody(members)
  const isValid: MemberCheck<TypeOf<TObject<P>>> = createMemberCheck(input)
  return {
    name,
    description,
    scope: effect === 'read' ? 'read' : 'write',
    annotations: EFFECTS[effect],
    input,
    call: async (api, given) => {
      const wrong: Detail[] = []
      if (!isValid(given, wrong)) throw invalidMembers(wrong)
      return call(api, given)
    },
  }
}

const LIMIT_DEFAULT = 20

/** The arguments of every list. A model reads what it returns, so pages are shorter than those of the API. */
export const pageMembers = {
  limit: t.Optional(
    Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `How many records, newest first. Default ${LIMIT_DEFAULT}.`,
    }),
  ),
  cursor: t.Optional(t.String({ description: 'The next_cursor of the page before.' })),
}

export const withLimit = <Q extends { limit?: number }>(query: Q): Q & { limit: number } => ({
  ...query,
  limit: query.limit ?? LIMIT_DEFAULT,
})
