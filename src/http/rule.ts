import type { Static, TSchema } from '@sinclair/typebox'
import type { Detail } from '../errors'

/**
 * Rules of members that JSON Schema cannot say, such as "in the future". They are part of the member's schema, so that
 * `createMemberCheck` reports them together with everything else that is wrong (contract 2.1).
 */
const RULE = Symbol('rule')

/**
 * Called with a value that matches the schema, or for a text all but its pattern; and with the members beside it, of which
 * nothing is checked yet. Returns why it is refused, or one entry for each wrong part of it.
 */
type Rule<T> = (
  value: T,
  beside: { readonly [member: string]: unknown },
) => string | Detail[] | undefined

/** `schema` with a rule. It applies to members of a body and of a query, not to what they contain. */
export const withRule = <T extends TSchema>(schema: T, rule: Rule<Static<T>>): T => ({
  ...schema,
  [RULE]: rule,
})

/** The rule of a schema. `withRule` checked its type: it takes what the schema accepts. */
export const ruleOf = (schema: TSchema): Rule<unknown> | undefined =>
  (schema as { [RULE]?: Rule<unknown> })[RULE]
