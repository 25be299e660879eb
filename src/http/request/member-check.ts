import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import type { Detail } from '../../errors'
import { ruleOf } from '../rule'
import { describeErrors } from './validation'

/** Returns whether `value` is accepted; if not, adds all that is wrong with it to `wrong`. */
export type MemberCheck<T> = (value: unknown, wrong: Detail[]) => value is T

/**
 * Compiles a check of an object, a body or a query, by its schema and by the rules of its members, which are reported
 * together (contract 2.1). The caller has checked the sizes of its texts.
 */
export const createMemberCheck = <T extends TSchema>(schema: T): MemberCheck<Static<T>> => {
  const compiled = TypeCompiler.Compile(schema)
  const checkRules = createRuleCheck(schema)
  return (value, wrong): value is Static<T> => {
    const before = wrong.length
    const matches = compiled.Check(value)
    if (!matches) wrong.push(...describeErrors(compiled.Errors(value)))
    checkRules(value, wrong, matches)
    return wrong.length === before
  }
}

/** The same by the rules alone, where the schema is checked elsewhere. `matches`: it has accepted `value`. */
export const createRuleCheck = (schema: TSchema) => {
  const ruled = Object.entries<TSchema>(schema.properties ?? {}).flatMap(([member, inner]) => {
    const rule = ruleOf(inner)
    return rule === undefined ? [] : [{ member, inner, rule }]
  })
  return (value: unknown, wrong: Detail[], matches = false): void => {
    const members = Object(value) as { [member: string]: unknown }
    for (const { member, inner, rule } of ruled) {
      const given = members[member]
      const checked = matches ? given : matchingPart(inner, given)
      if (checked === undefined) continue
      const broken = rule(checked, members) ?? []
      if (typeof broken === 'string') wrong.push({ path: member, message: broken })
      else wrong.push(...broken.map(one => ({ ...one, path: `${member}.${one.path}` })))
    }
  }
}

/**
 * What a rule gets: only what matches the schema. Of a map these are the members that do; an array it gets with all items,
 * which have rules of their own.
 */
const matchingPart = (schema: TSchema, given: unknown): unknown => {
  const matches: boolean = Value.Check(schema, given)
  if (given === undefined || matches) return given
  const { additionalProperties: value, items, maxItems = Number.POSITIVE_INFINITY } = schema
  if (Array.isArray(given))
    return items !== undefined && given.length <= maxItems ? given : undefined
  if (!isObject(value) || !isObject(given)) return undefined
  return Object.fromEntries(
    Object.entries(given).filter(([, one]) => Value.Check(value as TSchema, one)),
  )
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
