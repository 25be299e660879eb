import type { Actor } from '../../caller'
import type { Sql } from '../../db/connect'
import { StartError } from '../../errors'
import { type Cipher, isUndecryptable, readCanary, replaceCanary } from './encryption'

/** A webhook whose secret or headers are lost. Its deliveries wait until it has new ones. */
type WebhookWithLostSecret = { id: string; account_id: string; url: string }

/**
 * Lets processes start with the first key of the cipher where the key `lostId` is lost for good. Returns the webhooks
 * that no key of the cipher decrypts, in the order of their accounts; it changes none of them (contract 4.4).
 * @throws {StartError} when the database needs another key than `lostId`, or the cipher has that one.
 */
export const forgetLostKey = (
  sql: Sql,
  cipher: Cipher,
  lostId: string,
  actor: Actor,
): Promise<WebhookWithLostSecret[]> =>
  sql.begin(async tx => {
    await tx`SELECT FROM deployment FOR UPDATE`
    const canary = await readCanary(tx, cipher)
    if (canary?.decrypts)
      throw new StartError(
        `ARDEN_ENCRYPTION_KEY has the key ${canary.keyId}, which this database needs: it is not lost, and nothing was changed.`,
      )
    if (canary?.keyId !== lostId)
      throw new StartError(
        `This database needs the key ${canary?.keyId ?? 'of its first start'}, not ${lostId}. Nothing was changed; name the key that the error of the start names.`,
      )
    await replaceCanary(tx, cipher, actor, 'account.encryption_key_replaced')
    return await tx<WebhookWithLostSecret[]>`
      SELECT id, account_id, url FROM webhooks
      WHERE deleted_at IS NULL AND ${isUndecryptable(tx, cipher)}
      ORDER BY account_id, id`
  })
