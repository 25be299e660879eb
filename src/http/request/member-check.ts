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
  const ruled = Object.entries<TSchema>(schema.properties ?? {}).flatMap(([member, inner]) => {
    const rule = ruleOf(inner)
    return rule === undefined ? [] : [{ member, inner, rule }]
  })
  return (value, wrong): value is Static<T> => {
    const before = wrong.length
    const matches = compiled.Check(value)
    if (!matches) wrong.push(...describeErrors(compiled.Errors(value)))
    for (const { member, inner, rule } of ruled) {
      const given = (value as { [member: string]: unknown } | null)?.[member]
      const checked = matches ? given : matchingPart(inner, given)
      if (checked === undefined) continue
      const broken = rule(checked) ?? []
      if (typeof broken === 'string') wrong.push({ path: member, message: broken })
      else wrong.push(...broken.map(one => ({ ...one, path: `${member}.${one.path}` })))
    }
    return wrong.length === before
  }
}

/**
 * What a rule gets: only what matches the schema. Of a map these are the members that do, of an array the items, with
 * undefined in place of the others.
 */
const matchingPart = (schema: TSchema, given: unknown): unknown => {
  const matches: boolean = Value.Check(schema, given)
  if (given === undefined || matches) return given
  const { additionalProperties: value, items, maxItems = Number.POSITIVE_INFINITY } = schema
  if (Array.isArray(given) && isObject(items) && given.length <= maxItems)
    return given.map(one => (Value.Check(items as TSchema, one) ? one : undefined))
  if (!isObject(value) || !isObject(given)) return undefined
  return Object.fromEntries(
    Object.entries(given).filter(([, one]) => Value.Check(value as TSchema, one)),
  )
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
