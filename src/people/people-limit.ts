import { lockAccount } from '../accounts/store'
import type { Tx } from '../db/connect'
import { conflict } from '../errors'

/** People of an account, with those who do not exist until they open a link (contract 3.14). */
const PEOPLE_MAX = 1_000

/**
 * Checks the number of people after a link was created that creates one. Locks the account, so concurrent transactions
 * count each other's. Using a link needs no check: its place is counted.
 * @throws {DomainError} CONFLICT when the account has more than `PEOPLE_MAX`.
 */
export const checkPeopleLimit = async (tx: Tx, accountId: string): Promise<void> => {
  await lockAccount(tx, accountId)
  if ((await countPeople(tx, accountId)) <= PEOPLE_MAX) return
  throw conflict(
    `The account has ${PEOPLE_MAX} users, including pending invitations; the limit is ${PEOPLE_MAX}. Revoke an invitation that is not needed.`,
  )
}

const countPeople = async (tx: Tx, accountId: string): Promise<number> => {
  const [{ count }] = await tx<[{ count: number }]>`
    SELECT (SELECT count(*) FROM people WHERE account_id = ${accountId}) + (
      SELECT count(*) FROM sign_in_links
      WHERE account_id = ${accountId} AND person_id IS NULL AND expires_at > clock_timestamp()
    ) AS count`
  return count
}
