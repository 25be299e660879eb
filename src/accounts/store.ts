import type { Actor } from '../caller'
import type { Db, Tx } from '../db/connect'
import { conflict, invalid, notFoundWithoutMode } from '../errors'
import { isId, newId } from '../ids'
import { recordAudit } from './audit'

/** Accounts and their plans, managed from the command line (contract 3.12). */

export type Account = {
  id: string
  name: string
  /** Quota of live generations per UTC month. */
  monthly_generations: number
  /** The sign-in that all its users need; null when every way is accepted. */
  required_sign_in: string | null
  created_at: string
}

const NAME_MAX = 100
export const MONTHLY_GENERATIONS_MAX = 1_000_000_000

/** @throws {DomainError} VALIDATION_ERROR for a name that is empty or longer than 100 characters. */
export const createAccount = async (tx: Tx, actor: Actor, name: string): Promise<Account> => {
  if (name.trim() === '' || name.length > NAME_MAX)
    throw invalid('name', `must have 1 to ${NAME_MAX} characters`)
  const id = newId('acc')
  await tx`INSERT INTO accounts ${tx({ id, name })}`
  await recordAudit(tx, { accountId: id, actor, address: null }, 'account.created', id, { name })
  return getAccount(tx, id)
}

/** All accounts, oldest first. */
export const listAccounts = async (db: Db): Promise<Account[]> =>
  (await db<AccountRow[]>`${selectAccounts(db)} ORDER BY id`).map(toAccount)

/** @throws {DomainError} NOT_FOUND */
export const getAccount = async (db: Db, id: string): Promise<Account> => {
  const [row] = isId('acc', id)
    ? await db<AccountRow[]>`${selectAccounts(db)} WHERE id = ${id}`
    : []
  if (row === undefined) throw notFoundWithoutMode('account', id)
  return toAccount(row)
}

/**
 * Sets the account's quota of live generations per month (contract 6.11).
 * @throws {DomainError} NOT_FOUND; VALIDATION_ERROR for a number out of range.
 */
export const setPlan = async (
  tx: Tx,
  actor: Actor,
  id: string,
  monthlyGenerations: number,
): Promise<Account> => {
  if (
    !Number.isInteger(monthlyGenerations) ||
    monthlyGenerations < 0 ||
    monthlyGenerations > MONTHLY_GENERATIONS_MAX
  )
    throw invalid(
      'monthly_generations',
      `must be a whole number from 0 to ${MONTHLY_GENERATIONS_MAX}`,
    )
  await tx`SELECT FROM accounts WHERE id = ${id} FOR UPDATE`
  const before = await getAccount(tx, id)
  await tx`UPDATE accounts SET monthly_generations = ${monthlyGenerations} WHERE id = ${id}`
  await recordAudit(tx, { accountId: id, actor, address: null }, 'account.plan_changed', id, {
    monthly_generations: { from: before.monthly_generations, to: monthlyGenerations },
  })
  return { ...before, monthly_generations: monthlyGenerations }
}

/**
 * Locks the account until the transaction ends, so that concurrent transactions count its records one after the
 * other. Does not block inserts that reference the account.
 */
export const lockAccount = async (tx: Tx, id: string): Promise<void> => {
  await tx`SELECT FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`
}

/**
 * The account of a command: the one with this id, or the only account.
 * @throws {DomainError} NOT_FOUND; without an id CONFLICT when there is no account, or more than one.
 */
export const resolveAccount = async (db: Db, id: string | undefined): Promise<Account> => {
  if (id !== undefined) return getAccount(db, id)
  const [first, second] = await listAccounts(db)
  if (first === undefined)
    throw conflict('There is no account yet. Create one: arden accounts create --name <name>')
  if (second !== undefined)
    throw conflict(
      'There is more than one account. Choose one with --account <id>; arden accounts list shows them.',
    )
  return first
}

/**
 * Creates the first account of an empty database. Returns undefined when an account exists, also one that another
 * process creates at the same time.
 */
export const ensureFirstAccount = async (tx: Tx, actor: Actor): Promise<Account | undefined> => {
  await tx`LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE`
  const [existing] = await tx`SELECT 1 FROM accounts LIMIT 1`
  return existing === undefined ? createAccount(tx, actor, 'Default') : undefined
}

type AccountRow = Omit<Account, 'created_at'> & { created_at: Date }

const selectAccounts = (db: Db) =>
  db`SELECT id, name, monthly_generations, required_sign_in, created_at FROM accounts`

const toAccount = (row: AccountRow): Account => ({
  ...row,
  created_at: row.created_at.toISOString(),
})
