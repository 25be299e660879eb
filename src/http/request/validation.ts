import type { TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import type { Detail } from '../../errors'
import { ruleOf } from '../rule'
import { NOT_BLANK, VISIBLE } from '../schema'
import { PATH_MAX } from './json-limits'

/** Errors in `details`. Without a maximum, 1 MiB of wrong members made a 16 MB response. */
export const DETAILS_MAX = 100

/** Says in words what TypeBox found: one entry for each wrong member, at most 100 (contract 2.1). */
export const describeErrors = (errors: Iterable<ValueError>): Detail[] => {
  const details = new Map<string, string>()
  for (const found of errors) {
    const { path, message } = toDetail(found)
    // The first error of a member is the most specific: "is required" precedes "expected a string".
    if (!details.has(path)) details.set(path, message)
    if (details.size === DETAILS_MAX) break
  }
  return [...details].map(([path, message]) => ({ path, message }))
}

const toDetail = (error: ValueError): Detail => {
  const inner = error.type === ValueErrorType.Union ? deepestError(error) : error
  return { path: memberOf(inner.path), message: describeError(inner) }
}

/** A time with an offset from a URL in which `+` was not encoded. */
const PLUS_LOST = /T[\d:.]+ \d\d:\d\d$/

/**
 * Errors that only say that a variant has another type, so they do not explain what is wrong with the value.
 */
const TYPE_MISMATCHES = new Set([
  ValueErrorType.String,
  ValueErrorType.Null,
  ValueErrorType.Literal,
  ValueErrorType.Integer,
  ValueErrorType.Array,
  ValueErrorType.Object,
])

/** For a value that matches no variant of a union, the error of the variant with the right type. */
const deepestError = (error: ValueError): ValueError =>
  error.errors
    .map(variant => variant.First())
    .find(found => found !== undefined && !TYPE_MISMATCHES.has(found.type)) ?? error

const memberOf = (path: string): string =>
  path.slice(1, PATH_MAX + 1).replaceAll('/', '.') || 'body'

const describeError = (error: ValueError): string => {
  const { schema } = error
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required'
    case ValueErrorType.ObjectAdditionalProperties:
      return 'is not a member of this request'
    case ValueErrorType.StringMinLength:
      return schema.minLength === 1
        ? 'must not be empty'
        : `must have at least ${schema.minLength} characters`
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema.maxLength} characters`
    case ValueErrorType.StringPattern:
      if (schema.pattern === NOT_BLANK || schema.pattern === VISIBLE) return 'must not be blank'
      if (schema.format === 'date-time')
        return PLUS_LOST.test(String(error.value))
          ? 'has a space where its offset begins. Write + as %2B in a URL.'
          : `must be ${describeSchema(schema)}`
      return describeByRule(schema, error.value) ?? describeFormat(schema)
    case ValueErrorType.ArrayMinItems:
      return `must have at least ${schema.minItems} ${schema.minItems === 1 ? 'item' : 'items'}`
    case ValueErrorType.ArrayMaxItems:
      return describeMaxItems(schema.maxItems, schema.items)
    case ValueErrorType.ObjectMaxProperties:
      return `must have at most ${schema.maxProperties} members`
    case ValueErrorType.ArrayUniqueItems:
      return 'must not contain duplicates'
    default:
      return `must be ${describeSchema(schema)}`
  }
}

/** What the rule of a schema says of a text that its pattern refuses: it can know the usual mistakes. */
const describeByRule = (schema: TSchema, value: unknown): string | undefined => {
  const problem = ruleOf(schema)?.(value, {})
  return typeof problem === 'string' ? problem : undefined
}

const describeFormat = ({ description, examples }: TSchema): string => {
  const [example] = examples ?? []
  return `has the wrong format${description ? `: ${description}` : '.'}${example ? ` Example: ${example}` : ''}`
}

/** Describes the values that a schema accepts. */
const describeSchema = (schema: TSchema): string => {
  if (schema.anyOf) return describeUnion(schema.anyOf)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.format === 'date-time')
    return 'an existing date and time with a time zone (ISO 8601), such as 2026-01-31T12:00:00.000Z or 2026-01-31T13:00:00+01:00'
  if (schema.type === 'integer') return describeRange('a whole number', schema)
  if (schema.type === 'object') return 'a JSON object'
  if (schema.type === 'array') return 'an array'
  if (schema.type === 'null') return 'null'
  if (schema.type === 'boolean') return 'true or false'
  return `a ${schema.type ?? 'valid value'}`
}

const describeUnion = (variants: TSchema[]): string => {
  const words = variants.map(describeSchema)
  return variants.every(isLiteral) && words.length > 1
    ? `one of ${words.join(', ')}`
    : words.join(' or ')
}

/** Of an array of choices it names them: one too many is often one that does not exist. */
export const describeMaxItems = (max: number, items: TSchema | undefined): string =>
  `must have at most ${max} items${items && isChoice(items) ? `, each ${describeSchema(items)}` : ''}`

const isLiteral = (schema: TSchema): boolean => schema.const !== undefined

/** Whether the schema accepts some literals and nothing else. */
const isChoice = (schema: TSchema): boolean => schema.anyOf?.every(isLiteral) ?? false

const describeRange = (noun: string, { minimum, maximum }: TSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return `${noun} from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${noun} of at least ${minimum}`
  return maximum === undefined ? noun : `${noun} of at most ${maximum}`
}
