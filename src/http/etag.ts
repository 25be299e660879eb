import { createHash } from 'node:crypto'
import { DomainError } from '../errors'

/** Versions of a record, so that a change does not overwrite one that its caller has not seen (contract 1.11). */

/** The entity tag of a record: a hash of its members. That an API key was used is no change of it. */
const etagOf = ({ last_used_at: _, ...record }: { last_used_at?: unknown }): string =>
  `"${createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)}"`

/** Sets the `ETag` of a response with one record. */
export const withEtag = <T extends { data: object }>(
  set: { headers: { [name: string]: string | number } },
  response: T,
): T => {
  set.headers.etag = etagOf(response.data)
  return response
}

/** A proxy that compresses a response makes its tag weak, `W/"..."`: it still names the same record. */
const TAG = /(?:W\/)?("[^"]*")/g

/**
 * Compares the `If-Match` of a request, if it has one, with the record as it is before the change.
 * @throws {DomainError} PRECONDITION_FAILED
 */
export const checkIfMatch = ({ headers }: Request, record: object): void => {
  const expected = headers.get('if-match')
  if (expected === null || expected.trim() === '*') return
  const tags = [...expected.matchAll(TAG)].map(([, tag]) => tag)
  if (tags.length === 0)
    throw new DomainError(
      'PRECONDITION_FAILED',
      'If-Match is not an ETag. Send the ETag of the record as you received it, with its quotes. Nothing was changed.',
    )
  if (!tags.includes(etagOf(record)))
    throw new DomainError(
      'PRECONDITION_FAILED',
      'The record has changed since it was read: If-Match is not its current ETag. Nothing was changed. Read it again, and send the change with the new ETag.',
    )
}

/**
 * The same for a record that is only read when the request has an `If-Match`. `lock` keeps others from changing it.
 * @throws {DomainError} PRECONDITION_FAILED, and what `lock` throws.
 */
export const checkIfMatchOf = async (
  request: Request,
  lock: () => Promise<object>,
): Promise<void> => {
  if (request.headers.has('if-match')) checkIfMatch(request, await lock())
}
