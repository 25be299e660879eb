import type { paths } from './generated.js'

/** The input and response types of calls, from the generated `paths`. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

type Operation = {
  parameters: { path?: unknown; query?: unknown; header?: unknown }
  requestBody?: unknown
  responses: object
}

type AnyPathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [method in M]: Operation } ? P : never
}[keyof paths]

/** Paths that support the method `M` and respond with JSON. */
export type PathOf<M extends Method> = {
  [P in AnyPathOf<M>]: [ResponseBody<OperationOf<P, M>>] extends [never] ? never : P
}[AnyPathOf<M>]

/** Paths whose GET responds with a file. */
export type FilePath = Exclude<AnyPathOf<'get'>, PathOf<'get'>>

export type OperationOf<P extends keyof paths, M extends Method> = Extract<paths[P][M], Operation>

type Json<B> = { content: { 'application/json': B } }

/** The body of the response: `{data}`, for a list also `next_cursor`, and the `etag` of a record with versions. */
export type ResponseBody<O extends Operation> = {
  [S in keyof O['responses']]: O['responses'][S] extends Json<infer B>
    ? O['responses'][S] extends { headers: { ETag: string } }
      ? B & { etag: string }
      : B
    : never
}[keyof O['responses']]

type Body<O extends Operation> = [Exclude<O['requestBody'], undefined>] extends [never]
  ? { body?: never }
  : O extends { requestBody: Json<infer B> }
    ? { body: B }
    : O extends { requestBody?: Json<infer B> }
      ? { body?: B }
      : never

/** Options of every call. */
export type CallOptions = {
  /**
   * Cancels the call, its retries and the waits between them. The call rejects with the signal's reason.
   */
  signal?: AbortSignal
}

type IdempotencyOption<M extends Method> = M extends 'post'
  ? {
      /** Makes a repeated call return the first response, for 24 hours. By default each call has a new
       * key, which covers the client's own retries; set one to repeat a call later. */
      idempotencyKey?: string
    }
  : unknown

type IfMatchOption<O extends Operation> = [Exclude<O['parameters']['header'], undefined>] extends [
  never,
]
  ? unknown
  : {
      /** The `etag` of the record as you read it. If it has changed since then, nothing is changed, and the call rejects
       * with `PRECONDITION_FAILED`. Such a call is repeated only after a refusal. */
      ifMatch?: string
    }

/** The path parameters, the query, the body and the options of a call. */
export type Input<O extends Operation, M extends Method = 'get'> = Pick<
  O['parameters'],
  'path' | 'query'
> &
  Body<O> &
  IdempotencyOption<M> &
  IfMatchOption<O> &
  CallOptions

/** The argument is optional if none of its members is required. */
export type InputArgument<T> = Record<never, never> extends T ? [input?: T] : [input: T]

/** Paths of lists. */
export type ListPath = {
  [P in PathOf<'get'>]: OperationOf<P, 'get'> extends {
    parameters: { query?: { cursor?: string } }
    responses: { 200: Json<{ data: unknown[]; next_cursor: string | null }> }
  }
    ? [Exclude<OperationOf<P, 'get'>['parameters']['query'], undefined>] extends [never]
      ? never
      : P
    : never
}[PathOf<'get'>]

/** The record type of a list. */
export type ItemOf<P extends ListPath> =
  ResponseBody<OperationOf<P, 'get'>> extends { data: (infer T)[] } ? T : never
