import { fc } from '../../property'
import { SEED } from '../../seed'
import { exampleOf, hostileBody, hostileJson, limitsOf } from './json'
import type { Operation, Schema } from './operations'
import { type Hostile, hostile, hostileText } from './text'

export type HostileRequest = {
  label: string
  method: string
  path: string
  headers: Record<string, string>
  body: (() => string) | undefined
  [fc.toStringMethod]: () => string
}

/** One place of an operation, and requests that are hostile there and valid elsewhere. */
type Target = { name: string; place: Place; requests: fc.Arbitrary<HostileRequest> }
type Place = 'body' | 'query' | 'path' | 'header'

/** The maximum body is 1 MiB (contract 1.6); the rest is the body's other members. */
const BODY_BYTES = 1024 * 1024 - 8_192
/** Bun accepts 16 KiB of request line and headers; the rest is the other headers. */
const HEAD_BYTES = 14 * 1024

/** The request headers that the server or its libraries read, each with a valid value. */
const HEADERS: { [name: string]: string } = {
  Authorization: 'Bearer ar_live_0000000000000000000000000000000000000000',
  'Idempotency-Key': '5f0c9c1e-8d5b-4a0e-9d2f-3f1f1f0f7a11',
  'X-Request-Id': '0b7f7c52-6f0e-4c55-9a53-0d4c5a4f7f10',
  'X-Forwarded-For': '203.0.113.7:4711, [2001:db8::1]:4711',
  'Content-Type': 'application/json; charset="utf-8"',
  'Last-Event-ID': '81234.evt_01kafz3v5tf4qrm8z3x9d2c7ne',
  'If-None-Match': 'W/"0"',
  Cookie: '__Host-arden=0; a=b',
  Origin: 'https://arden.example',
}

/** Sends so many requests for each member or header of a place. */
export const checkEveryTarget = async (
  operation: Operation,
  runs: { [place in Place]: number },
  check: (request: HostileRequest) => Promise<void>,
): Promise<void> => {
  for (const { name, place, requests } of targetsOf(operation))
    await checkAll(name, requests, runs[place], check)
}

/** Sends so many requests, each hostile at any one member or header. */
export const checkAnyTarget = (
  operation: Operation,
  runs: number,
  check: (request: HostileRequest) => Promise<void>,
): Promise<void> => {
  const requests = fc.oneof(...targetsOf(operation).map(target => target.requests))
  return checkAll(operation.name, requests, runs, check)
}

/** Does not shrink: the server would be measured again for each smaller size. */
const checkAll = (
  name: string,
  requests: fc.Arbitrary<HostileRequest>,
  numRuns: number,
  check: (request: HostileRequest) => Promise<void>,
) =>
  fc.assert(fc.asyncProperty(requests, check), {
    // With one seed for all, every target would get the same values.
    seed: (SEED ^ Bun.hash.crc32(name)) | 0,
    numRuns,
    endOnFailure: true,
  })

/** Every member of the body and of the query, every parameter of the path, and every header. */
const targetsOf = (operation: Operation): Target[] => {
  const { name, query, pathParameters } = operation
  const { members, example } = operation.body ?? { members: {}, example: {} }
  const headers = new Set([...Object.keys(HEADERS), ...operation.headers])
  const target = (where: string, values: fc.Arbitrary<Hostile>, replace: Replacer): Target => ({
    name: `${name} ${where}`,
    place: where.split(/[. ]/)[0] as Place,
    requests: values.map(({ label, build }) =>
      toRequest(operation, `${where} = ${label}`, replace, build),
    ),
  })
  return [
    ...(operation.method === 'GET'
      ? []
      : [
          target('body', hostileBody(Object.keys(members), BODY_BYTES), build => ({ body: build })),
        ]),
    ...Object.entries(members).map(([member, schema]) =>
      target(`body.${member}`, hostileJson(schema, BODY_BYTES), build => ({
        body: () => bodyWith(example, member, build()),
      })),
    ),
    target('query', hostileQuery(Object.keys(query)), build => ({ query: build() })),
    ...Object.entries(query).map(([member, schema]) =>
      target(`query.${member}`, queryValue(schema), build => ({ query: `${member}=${build()}` })),
    ),
    ...pathParameters.map(parameter =>
      target(`path.${parameter}`, queryValue({}), build => ({ path: { [parameter]: build() } })),
    ),
    ...[...headers].map(header =>
      target(`header ${header}`, headerValue(HEADERS[header]), build => ({
        headers: { [header]: build() },
      })),
    ),
  ]
}

/** The part of a request that a hostile value replaces. */
type Replacer = (build: () => string) => {
  body?: () => string
  query?: string
  path?: { [parameter: string]: string }
  headers?: Record<string, string>
}

const toRequest = (
  { name, method, path, body }: Operation,
  label: string,
  replace: Replacer,
  build: () => string,
): HostileRequest => {
  const replaced = replace(build)
  const text = `${name} ${label}`
  const content = replaced.body ?? (body && (() => JSON.stringify(body.example)))
  return {
    label: text,
    method,
    path: path(replaced.path) + (replaced.query === undefined ? '' : `?${replaced.query}`),
    headers: { ...(content && { 'Content-Type': 'application/json' }), ...replaced.headers },
    body: content,
    [fc.toStringMethod]: () => text,
  }
}

const bodyWith = (example: { [member: string]: unknown }, member: string, json: string): string => {
  const { [member]: _, ...others } = example
  const rest = JSON.stringify(others).slice(1)
  return `{${JSON.stringify(member)}:${json}${rest === '}' ? '' : ','}${rest}`
}

const encodeQuery = (text: string) => encodeURIComponent(text.toWellFormed())

const queryValue = (schema: Schema): fc.Arbitrary<Hostile> => {
  const example = exampleOf(schema)
  const options = {
    bytes: HEAD_BYTES,
    limits: limitsOf(schema, 'maxLength'),
    ...(typeof example === 'string' && { example }),
  }
  return fc.oneof(
    { weight: 4, arbitrary: hostileText({ ...options, encode: encodeQuery }) },
    // As it is: the client escapes only what no URL can have.
    {
      weight: 2,
      arbitrary: hostileText({
        ...options,
        encode: text => encodeURI(text.toWellFormed()).replaceAll('%25', '%'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          '',
          '0',
          '-1',
          '1e9',
          '99999999999999999999',
          '%',
          '%C3%28',
          '%ED%A0%80',
          '[]',
        )
        .map(text => hostile(text, () => text)),
    },
  )
}

/** A complete query: members that the operation has, repeated, and others. */
const hostileQuery = (members: string[]): fc.Arbitrary<Hostile> =>
  fc
    .tuple(
      fc.constantFrom('', 'a', '__proto__', 'a[b]', ...members),
      fc.constantFrom('', '=', '=1', '=%00'),
      fc.constantFrom('&', '&&', ';'),
      fc.boolean(),
    )
    .map(([member, value, separator, numbered]) => {
      const bytes = member.length + value.length + separator.length + (numbered ? 4 : 0)
      const count = Math.floor(HEAD_BYTES / bytes)
      return hostile(`${count} members ${member}${numbered ? 'N' : ''}${value}${separator}`, () =>
        Array.from({ length: count }, (_, n) => `${member}${numbered ? n : ''}${value}`).join(
          separator,
        ),
      )
    })

/** UTF-8 as a header transports it, without the control characters that no HTTP client sends. */
const encodeHeader = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it removes
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f]/g, '?')

const headerValue = (example = ''): fc.Arbitrary<Hostile> =>
  hostileText({
    bytes: HEAD_BYTES,
    limits: [64, 255, 8_192],
    example,
    encode: encodeHeader,
  })
