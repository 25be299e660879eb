import { createHash } from 'node:crypto'
import { DomainError } from '../errors'

/** Versions of a record, so that a change does not overwrite one that its caller has not seen (contract 1.11). */

/** The entity tag of a record: a hash of all its members. */
const etagOf = (record: object): string =>
  `"${createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)}"`

/** Sets the `ETag` of a response with one record, from `record` where not each of its members counts. */
export const withEtag = <T extends { data: object }>(
  set: { headers: { [name: string]: string | number } },
  response: T,
  record: object = response.data,
): T => {
  set.headers.etag = etagOf(record)
  return response
}

/** A proxy that compresses a response makes its tag weak, `W/"..."`: it still names the same record. */
const TAG = /(?:W\/)?("[^"]*")/g

/**
 * A check of the record as it is before the change, by the `If-Match` of a request, if it has one.
 * @throws {DomainError} from the check, PRECONDITION_FAILED
 */
export const checkIfMatch =
  ({ headers }: Request) =>
  (record: object): void => {
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
