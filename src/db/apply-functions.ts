import postgres from 'postgres'
import { StartError } from '../errors'
import { isDatabaseUnavailable, isLockTimeout, type Tx } from './connect'
import type { DatabaseFunction } from './functions'
import { checksum, type Schema, type SchemaState } from './schema-state'

/** SQLSTATE of a signature, or of a view's columns, that CREATE OR REPLACE cannot change. */
const NOT_REPLACEABLE = ['42P13', '42P16']

/**
 * Applies the functions whose text differs from what the database recorded, in their order, and drops those that are no
 * longer listed. A function whose signature has changed is dropped and created again, with those that use it; all
 * of it is one transaction, so callers see the old functions or the new ones. Returns the names.
 * @throws {StartError} when one fails: nothing is changed then.
 */
export const applyFunctions = async (
  tx: Tx,
  { functions, generation }: Schema,
  state: SchemaState,
): Promise<string[]> => {
  const applied = new Set<string>()
  const all = functions.map(one => ({ ...one, uses: usedBy(one, functions) }))
  for (const [index, one] of all.entries()) {
    // A plan that is kept in a connection refers to the columns of a view as they were: its users are created again.
    if (!state.missing.includes(one.name) && !one.uses.some(name => applied.has(name))) continue
    await applyOne(tx, one, all.slice(index + 1)).catch(error => {
      throw failed(one.name, error)
    })
    applied.add(one.name)
  }
  for (const name of state.removed)
    await drop(tx, name).catch(error => {
      throw failed(name, error)
    })
  if (applied.size + state.removed.length === 0 && state.generation === generation) return []
  await tx`DELETE FROM applied_functions WHERE name = ANY (${state.removed})`
  await tx`
    INSERT INTO applied_functions AS a (name, checksum, position, generation)
    SELECT *, ${generation}::int
    FROM unnest(${functions.map(one => one.name)}::text[], ${functions.map(checksum)}::text[])
      WITH ORDINALITY
    ON CONFLICT (name) DO UPDATE
    SET checksum = EXCLUDED.checksum, position = EXCLUDED.position, generation = EXCLUDED.generation,
      applied_at = CASE WHEN a.checksum = EXCLUDED.checksum THEN a.applied_at ELSE EXCLUDED.applied_at END`
  return [...applied, ...state.removed.map(name => `${name} (dropped)`)]
}

type Node = DatabaseFunction & { uses: string[] }

const applyOne = async (tx: Tx, one: Node, later: Node[]): Promise<void> => {
  const replaced = await tx
    .savepoint(async savepoint => {
      await savepoint.unsafe(one.text)
      // With other parameters, CREATE OR REPLACE adds a second function beside the first.
      if ((await overloads(savepoint as Tx, one.name)) > 1) throw new NotReplaceable()
      return true
    })
    .catch(error => {
      if (error instanceof NotReplaceable || NOT_REPLACEABLE.includes(codeOf(error))) return false
      throw error
    })
  if (replaced) return
  for (const user of usersOf(one.name, later).reverse()) await drop(tx, user)
  await drop(tx, one.name)
  await tx.unsafe(one.text)
}

class NotReplaceable extends Error {}

const codeOf = (error: unknown): string =>
  error instanceof postgres.PostgresError ? error.code : ''

const failed = (name: string, error: unknown): unknown =>
  isLockTimeout(error) || isDatabaseUnavailable(error) || !(error instanceof Error)
    ? error
    : new StartError(
        `The function ${name} failed: ${error.message}. Nothing was changed, and the version of Arden that ran before still works with its functions. Fix the cause and run \`arden migrate\` again.`,
      )

/** The others that the SQL of `one` names, comments aside. */
const usedBy = ({ name, text }: DatabaseFunction, all: readonly DatabaseFunction[]): string[] => {
  const words = new Set(text.replaceAll(/--.*$/gm, '').match(/\w+/g))
  return all.filter(other => other.name !== name && words.has(other.name)).map(one => one.name)
}

/** The functions of `later` that use `name` directly or through another one, in their order. */
const usersOf = (name: string, later: Node[]): string[] => {
  const found = [name]
  for (const one of later) if (one.uses.some(used => found.includes(used))) found.push(one.name)
  return found.slice(1)
}

const overloads = async (tx: Tx, name: string): Promise<number> => (await find(tx, name)).length

/** Drops a function with its triggers, or a view; what is not there is no error. */
const drop = async (tx: Tx, name: string): Promise<void> => {
  for (const { statement } of await find(tx, name)) await tx.unsafe(statement)
}

/** The statements that drop each function or view of this name. */
const find = (tx: Tx, name: string) => tx<{ statement: string }[]>`
  SELECT coalesce((
      SELECT string_agg(format('DROP TRIGGER %I ON %s; ', t.tgname, t.tgrelid::regclass), '')
      FROM pg_trigger t WHERE t.tgfoid = p.oid
    ), '') || 'DROP FUNCTION ' || p.oid::regprocedure AS statement
  FROM pg_proc p
  WHERE p.proname = ${name} AND p.pronamespace = current_schema()::regnamespace
  UNION ALL
  SELECT 'DROP VIEW ' || c.oid::regclass
  FROM pg_class c
  WHERE c.relname = ${name} AND c.relkind = 'v' AND c.relnamespace = current_schema()::regnamespace`
