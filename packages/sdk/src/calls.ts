import type { paths } from './generated.js'

/** What a call takes and answers, read from the generated `paths`. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

type Operation = {
  parameters: { path?: unknown; query?: unknown }
  requestBody?: unknown
  responses: object
}

/** The paths that take the method `M`. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [method in M]: Operation } ? P : never
}[keyof paths]

export type OperationOf<P extends keyof paths, M extends Method> = Extract<paths[P][M], Operation>

type Json<B> = { content: { 'application/json': B } }

/** The body of the answer: `{data}`, of a list also `next_cursor`. */
export type Answer<O extends Operation> = {
  [S in keyof O['responses']]: O['responses'][S] extends Json<infer B> ? B : never
}[keyof O['responses']]

type Body<O extends Operation> = [Exclude<O['requestBody'], undefined>] extends [never]
  ? { body?: never }
  : O extends { requestBody: Json<infer B> }
    ? { body: B }
    : O extends { requestBody?: Json<infer B> }
      ? { body?: B }
      : never

/** What can be said of any call. */
export type CallOptions = {
  /** Ends the call, its repetitions and the waits between them: it rejects with the signal's reason. */
  signal?: AbortSignal
}

type IdempotencyOption<M extends Method> = M extends 'post'
  ? {
      /** What is to happen once (kept 24 hours). A new one for each call when absent, which is enough
       * for what the client repeats by itself; give your own to repeat a call later. */
      idempotencyKey?: string
    }
  : unknown

/** The members of a path's `{...}`, of the query and of the body, and the options of the call. */
export type Input<O extends Operation, M extends Method = 'get'> = Pick<
  O['parameters'],
  'path' | 'query'
> &
  Body<O> &
  IdempotencyOption<M> &
  CallOptions

/** The argument may be left out where no member of it is required. */
export type InputArgument<T> = Record<never, never> extends T ? [input?: T] : [input: T]

/** The paths whose answers come in pages. */
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

/** A record of a list. */
export type ItemOf<P extends ListPath> =
  Answer<OperationOf<P, 'get'>> extends { data: (infer T)[] } ? T : never
