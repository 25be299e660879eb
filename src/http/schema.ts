import {
  FormatRegistry,
  type SchemaOptions,
  type Static,
  type StringOptions,
  type TLiteral,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox'
import { t } from 'elysia'
import { isDateTime } from './date-time'

// After Elysia has set its own.
FormatRegistry.Set('date-time', isDateTime)

/**
 * The vocabulary of request and response schemas. Bodies are closed: an unknown member is an error that
 * names it (contract 1.6). No schema has a `default`: Elysia would turn `[]` and `null` into an object.
 */
export const RequestBody = <P extends TProperties>(properties: P, options = {}) =>
  t.Object(properties, { additionalProperties: false, ...options })

/** Of a call that takes no member: an unknown one is an error there, too. */
export const EmptyBody = RequestBody({})

/** A PATCH body: any of the members, or none, which changes nothing. */
export const PatchBody = <P extends TProperties>(properties: P) =>
  t.Partial(t.Object(properties), { additionalProperties: false })

/** A JSON number. Elysia's own `t.Integer` would take the text "5" for 5, in bodies too. */
export const Integer = Type.Integer

/** Some character that is neither white space nor without width. TypeBox's patterns have no Unicode mode. */
export const NOT_BLANK =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0]'

/** Text that shows something. */
export const NonBlank = (options: StringOptions = {}) =>
  t.String({ minLength: 1, pattern: NOT_BLANK, ...options })

/** One of some texts. Elysia's own `t.UnionEnum` has the first as a default, which a filter must not. */
export const OneOf = <T extends string>(
  values: readonly T[],
  options: SchemaOptions = {},
): TUnion<TLiteral<T>[]> =>
  Type.Union(
    values.map(value => Type.Literal(value)),
    options,
  )

export const Timestamp = t.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, milliseconds.',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** `options` may hold an example: where null is what one usually sees, `examples: [null]`. */
export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  t.Union([schema, t.Null()], options)

export const Id = (prefix: string, description?: string) =>
  t.String({
    pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`,
    ...(description === undefined ? {} : { description }),
    examples: [`${prefix}_01kafz3v5tf4qrm8z3x9d2c7ne`],
  })

/** `{"data": {...}}`: one record. */
export const RecordResponse = <T extends TSchema>(record: T) => t.Object({ data: record })

/** `{"data": [...], "next_cursor"}`: a list. */
export const ListResponse = <T extends TSchema>(record: T) =>
  t.Object({ data: t.Array(record), next_cursor: Nullable(Cursor) })

const Cursor = t.String({ examples: ['YXJ0XzAxa2FmejN2NXRmNHFybTh6M3g5ZDJjN25l'] })

/** What a DELETE of anything but an API key answers. */
export const DeletedRecord = t.Object({
  id: t.String({ examples: ['art_01kafz3v5tf4qrm8z3x9d2c7ne'] }),
  deleted: t.Literal(true),
})

export type TypeOf<T extends TSchema> = Static<T>
