import type { Tenant } from '../../caller'
import type { Db, Tx } from '../../db/connect'
import { conflict } from '../../errors'
import { newId } from '../../ids'
import { recordEvents } from '../../webhooks/events/record'
import { ALL_EVENTS } from '../../webhooks/events/types'
import { getProject } from '../projects/store'
import { type KeywordRow, type KeywordSearch, toKeyword } from './row'
import type { Keyword, NewKeyword } from './schema'
import { foldKeyword, normalizeKeyword } from './text'

/** Deliveries that one request may fire: event streams of all accounts wait for its transaction, for 4 s then. */
const DELIVERIES_MAX = 50_000

/** `exists`: the project had the keyword, or an earlier one of the same request is the same. */
type AddedKeyword = { status: 'created' | 'exists'; keyword: Keyword }

/**
 * Creates the keywords that the project does not have, and fires `keyword.created` for each (contract 6.21). Returns all
 * of them, in the order of `inputs`.
 * @throws {DomainError} NOT_FOUND for the project; CONFLICT when one of them was deleted at the same time, and for more
 * than 50,000 deliveries.
 */
export const addKeywords = async (
  tx: Tx,
  tenant: Tenant,
  projectId: string,
  inputs: readonly NewKeyword[],
): Promise<AddedKeyword[]> => {
  await getProject(tx, tenant, projectId, tx`FOR KEY SHARE`)
  const rows = inputs.map(input => ({ ...toSearch(projectId, input), input }))
  const unique = [...new Map(rows.toReversed().map(row => [keyOf(row), row])).values()].reverse()
  const ids = new Map(unique.map(row => [keyOf(row), newId('kw')]))
  // In one order, because concurrent inserts of the same keywords wait for each other.
  const ordered = unique.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const created = await tx<KeywordRow[]>`
    INSERT INTO keywords ${tx(
      ordered.map(({ input, ...search }) => ({
        id: ids.get(keyOf(search)) ?? newId('kw'),
        account_id: tenant.accountId,
        mode: tenant.mode,
        keyword: normalizeKeyword(input.keyword),
        tracked: input.tracked ?? true,
        tags: input.tags ?? [],
        ...search,
      })),
    )}
    ON CONFLICT (project_id, folded, country, device) WHERE deleted_at IS NULL DO NOTHING
    RETURNING *`
  const byKey = new Map(created.map(row => [keyOf(row), row]))
  const missing = unique.filter(row => !byKey.has(keyOf(row)))
  for (const row of await findKeywords(tx, missing)) byKey.set(keyOf(row), row)
  const fresh = new Set(created.map(({ id }) => id))
  await checkDeliveries(tx, tenant, created.length)
  await recordEvents(
    tx,
    created
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, keyword }) => ({
        tenant,
        type: 'keyword.created' as const,
        data: { keyword_id: id, project_id: projectId, keyword },
      })),
  )
  return rows.map(search => {
    const row = byKey.get(keyOf(search))
    if (row === undefined)
      throw conflict('The project had this keyword, which was deleted at the same time. Try again.')
    const status = fresh.delete(row.id) ? 'created' : 'exists'
    return { status, keyword: toKeyword(row) }
  })
}

const checkDeliveries = async (tx: Tx, { accountId, mode }: Tenant, created: number) => {
  const [{ webhooks }] = await tx<[{ webhooks: number }]>`
    SELECT count(*)::int AS webhooks FROM webhooks
    WHERE account_id = ${accountId} AND mode = ${mode} AND deleted_at IS NULL
      AND events && ARRAY['keyword.created', ${ALL_EVENTS}]`
  if (created * webhooks > DELIVERIES_MAX)
    throw conflict(
      `${created} new keywords for ${webhooks} webhooks are ${created * webhooks} deliveries, and one request may have ${DELIVERIES_MAX}. Send them in several requests.`,
    )
}

/** How many of the keywords the project has, or are in the list a second time. */
export const countExisting = async (
  db: Db,
  projectId: string,
  inputs: readonly NewKeyword[],
): Promise<number> => {
  const searches = inputs.map(input => toSearch(projectId, input))
  const keys = new Set(searches.map(keyOf))
  const found = await findKeywords(db, searches)
  return inputs.length - keys.size + found.length
}

const toSearch = (projectId: string, input: NewKeyword): KeywordSearch => ({
  project_id: projectId,
  folded: foldKeyword(normalizeKeyword(input.keyword)),
  country: input.country ?? 'US',
  device: input.device ?? 'desktop',
})

const keyOf = ({ folded, country, device }: KeywordSearch) => `${country} ${device} ${folded}`

const findKeywords = async (db: Db, searches: readonly KeywordSearch[]): Promise<KeywordRow[]> => {
  const [first] = searches
  if (first === undefined) return []
  return await db<KeywordRow[]>`
    SELECT DISTINCT k.* FROM keywords k
    JOIN unnest(
      ${searches.map(one => one.folded)}::text[], ${searches.map(one => one.country)}::text[],
      ${searches.map(one => one.device)}::text[]
    ) AS one (folded, country, device)
      ON k.folded = one.folded AND k.country = one.country AND k.device = one.device
    WHERE k.project_id = ${first.project_id} AND k.deleted_at IS NULL`
}
