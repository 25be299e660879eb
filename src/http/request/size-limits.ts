import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../../errors'
import { PATH_MAX } from './json-limits'
import { describeMaxItems } from './validation'

/**
 * The sizes of a request's text and arrays, checked before any other work on them (contract 1.6). Normalisation,
 * patterns and parsers may cost more than linear time: `normalize('NFC')` of 680 KB of combining marks took
 * 6.5 minutes. So the first value that is too large ends the check, and nothing else reads it.
 */

/** Members of one object. No schema has more than twenty. */
const MEMBERS_MAX = 100

/** @throws {DomainError} VALIDATION_ERROR for the first text, array or object that is too large. */
export const checkSizes = (schema: TSchema, value: unknown, path = ''): void => {
  if (typeof value === 'string') {
    const max = maxLengthOf(schema)
    if (value.length > max) throw invalid(path || 'body', `must have at most ${max} characters`)
  } else if (Array.isArray(value)) {
    const { items, maxItems } = arrayIn(schema)
    if (value.length > maxItems) throw invalid(path || 'body', describeMaxItems(maxItems, items))
    if (items !== undefined)
      for (const [index, item] of value.entries())
        checkSizes(items, item, join(path, String(index)))
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value)
    const { properties, others, maxProperties } = objectIn(schema)
    if (members.length > MEMBERS_MAX)
      throw invalid(path || 'body', `must have at most ${maxProperties} members`)
    for (const member of members) {
      const inner = Object.hasOwn(properties, member) ? properties[member] : others
      if (inner !== undefined)
        checkSizes(
          inner,
          (value as Record<string, unknown>)[member],
          join(path, member).slice(0, PATH_MAX),
        )
    }
  }
}

/** The most characters that a variant of the schema accepts. */
const maxLengthOf = (schema: TSchema): number => {
  const texts = variantsOf(schema).filter(
    ({ type, const: literal }) => type === 'string' && literal === undefined,
  )
  return texts.length === 0
    ? OTHER_TEXT_MAX
    : Math.max(...texts.map(({ maxLength }) => maxLength ?? Number.POSITIVE_INFINITY))
}

/** For text where the schema expects a literal or another type: the validator then describes what it expects. */
const OTHER_TEXT_MAX = 200

const arrayIn = (schema: TSchema): { items: TSchema | undefined; maxItems: number } => {
  const array = variantsOf(schema).find(({ type }) => type === 'array')
  return { items: array?.items, maxItems: array?.maxItems ?? MEMBERS_MAX }
}

type ObjectSchema = {
  properties: Record<string, TSchema | undefined>
  /** Of members whose names the client chooses. */
  others: TSchema | undefined
  maxProperties: number
}

const objectIn = (schema: TSchema): ObjectSchema => {
  const object = variantsOf(schema).find(({ type }) => type === 'object')
  const others = object?.additionalProperties
  return {
    properties: object?.properties ?? {},
    others: typeof others === 'object' ? others : undefined,
    maxProperties: object?.maxProperties ?? MEMBERS_MAX,
  }
}

const variantsOf = (schema: TSchema): TSchema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(variantsOf)

const join = (path: string, member: string) => (path === '' ? member : `${path}.${member}`)
