import type { Detail } from '../../errors'

/** The body of an error (contract 2.1). */
export type ErrorBody = { error: string; message: string; details?: Detail[] }

/** Kept here until the response is complete, because it is known only before it is serialized. */
const bodies = new WeakMap<Request, ErrorBody>()

/** Keeps the error of a request, and returns it. */
export const setErrorBody = (request: Request, body: ErrorBody): ErrorBody => {
  bodies.set(request, body)
  return body
}

/** The error that `request` got; undefined where it got none. */
export const getErrorBody = (request: Request): ErrorBody | undefined => bodies.get(request)
