import type { Tenant } from '../../caller'
import type { Tx } from '../../db/connect'
import { conflict } from '../../errors'
import { recordEvent } from '../../webhooks/events/record'
import { type ArticleRow, eventData, findArticle, toArticle } from './store'
import { type Author, changedFields, startVersion, type Text } from './versions'

/**
 * Returns the version of an article that a generation replaces, and closes it: a later save of the user who wrote it
 * would belong to it (contract 6.13), and be replaced as well. Undefined for an article that was deleted.
 */
export const closeVersion = async (tx: Tx, id: string): Promise<number | undefined> => {
  const [article] = await tx<{ version: number }[]>`
    UPDATE articles SET version_open_until = NULL WHERE id = ${id} RETURNING version`
  return article?.version
}

/**
 * Gives an article the text that a generation wrote, as a new version, and fires `article.updated`. Slug and status
 * stay. `version`: the one that the generation began with.
 * @throws {DomainError} NOT_FOUND; CONFLICT when the article has another version now. Nothing is changed then.
 */
export const rewriteArticle = async (
  tx: Tx,
  writer: Tenant & { actor: Author },
  id: string,
  version: number,
  text: Text,
): Promise<void> => {
  const before = await findArticle(tx, writer, id, tx`FOR UPDATE OF a`)
  if (before.version !== version)
    throw conflict(
      'The article was changed while the generation was written. Generate it again to replace the changed text.',
    )
  const changed = changedFields(before, text)
  if (changed.length === 0) return
  const started = await startVersion(tx, before, text, writer)
  const [row] = await tx<[ArticleRow]>`
    UPDATE articles SET ${tx({
      ...Object.fromEntries(changed.map(field => [field, text[field]])),
      ...started,
    })}, version_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = ${id} RETURNING *`
  await recordEvent(tx, writer, 'article.updated', { ...eventData(toArticle(row)), changed })
}
