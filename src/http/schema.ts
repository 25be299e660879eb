import {
  FormatRegistry,
  type SchemaOptions,
  type Static,
  type StringOptions,
  type TLiteral,
  type TProperties,
  type TRecord,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from '@sinclair/typebox'
import { t } from 'elysia'
import { DATE_TIME_PATTERN, isDateTime } from './date-time'

// After Elysia has set its own format.
FormatRegistry.Set('date-time', isDateTime)

/**
 * The building blocks of request and response schemas. An unknown member of a body is an error (contract
 * 1.6). No schema has a `default`: Elysia would turn `[]` and `null` into an object.
 */
export const RequestBody = <P extends TProperties>(properties: P, options = {}) =>
  t.Object(properties, { additionalProperties: false, ...options })

/**
 * An object whose members have names that the client chooses, and values of one schema. TypeBox's own Record documents
 * a pattern of names instead, which generators of clients do not read.
 */
export const MapOf = <T extends TSchema>(
  value: T,
  options: { maxProperties: number; [option: string]: unknown },
): TRecord<TString, T> =>
  t.Object({}, { additionalProperties: value, ...options }) as unknown as TRecord<TString, T>

/** The body of a call without members. */
export const EmptyBody = RequestBody({})

/** The body of a PATCH: any of the members. An empty one changes nothing. */
export const PatchBody = <P extends TProperties>(properties: P, options = {}) =>
  t.Partial(t.Object(properties), { additionalProperties: false, ...options })

/** A JSON number. Elysia's own `t.Integer` also accepts the text "5", in bodies too. */
export const Integer = Type.Integer

/** A character that is neither white space nor invisible. TypeBox's patterns have no Unicode mode. */
export const VISIBLE =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0]'

/** Anchored, because clients that are generated for Python match a pattern at the beginning only. */
export const NOT_BLANK = `^[\\s\\S]*?${VISIBLE}`

/** Text with at least one visible character (contract 1.6). */
export const NonBlank = (options: StringOptions = {}) =>
  t.String({ minLength: 1, pattern: NOT_BLANK, ...options })

/**
 * One of several strings. Elysia's own `t.UnionEnum` defaults to the first, which a filter must not.
 */
export const OneOf = <T extends string>(
  values: readonly T[],
  options: SchemaOptions = {},
): TUnion<TLiteral<T>[]> =>
  Type.Union(
    values.map(value => Type.Literal(value)),
    options,
  )

/** Characters. Every text of a request has a `maxLength`, checked before any other work (request/size-limits.ts). */
const TIME_MAX = 64
const ID_MAX = 64

export const Timestamp = t.String({
  format: 'date-time',
  maxLength: TIME_MAX,
  description: 'ISO 8601 in UTC with milliseconds.',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** `options` can have an example: `examples: [null]` for members that are usually null. */
export const Nullable = <T extends TSchema>(schema: T, options: SchemaOptions = {}) =>
  t.Union([schema, t.Null()], options)

/** 128 bits in base 32, so the first character has 3 bits. */
const idPattern = (prefix: string) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`

export const Id = (prefix: string, description?: string) =>
  t.String({
    pattern: idPattern(prefix),
    maxLength: ID_MAX,
    ...(description === undefined ? {} : { description }),
    examples: [`${prefix}_01kafz3v5tf4qrm8z3x9d2c7ne`],
  })

/** An id of any form, of which one that does not exist is found out later. */
export const Reference = (options: StringOptions = {}) =>
  t.String({ maxLength: ID_MAX, ...options })

/** A time in a query or a body. */
export const Time = (options: StringOptions = {}) =>
  t.String({ format: 'date-time', pattern: DATE_TIME_PATTERN, maxLength: TIME_MAX, ...options })

/** One record: `{"data": {...}}` (contract 1.2). */
export const RecordResponse = <T extends TSchema>(record: T) =>
  t.Object({ data: record }, titled(record, 'Response'))

/** A list: `{"data": [...], "next_cursor"}` (contract 1.2). */
export const ListResponse = <T extends TSchema>(record: T) =>
  t.Object({ data: t.Array(record), next_cursor: Nullable(Cursor) }, titled(record, 'List'))

const titled = ({ title }: TSchema, suffix: string) =>
  title === undefined ? {} : { title: `${title}${suffix}` }

const Cursor = t.String({ examples: ['YXJ0XzAxa2FmejN2NXRmNHFybTh6M3g5ZDJjN25l'] })

/** The record in the response of a DELETE, except for API keys (contract 1.3). */
export const DeletedRecord = t.Object(
  {
    id: t.String({ examples: ['art_01kafz3v5tf4qrm8z3x9d2c7ne'] }),
    deleted: t.Boolean({ description: 'Always true.', examples: [true] }),
  },
  { title: 'DeletedRecord' },
)

export type TypeOf<T extends TSchema> = Static<T>
