import { Command } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { readConfig, requireSetting } from '../../config'
import { StartError } from '../../errors'
import { toTerminalLine } from '../../terminal'
import { checkEncryptionKey, createCipher } from '../../webhooks/signing/encryption'
import { forgetLostKey } from '../../webhooks/signing/lost-key'
import { reencryptSecrets } from '../../webhooks/signing/reencryption'
import { print, printJson, table } from '../print'
import { withDatabase } from './database'
import { progressBar } from './progress'

export const secretsCommand = () =>
  new Command('secrets')
    .description('Webhook secrets: reencrypt, forget-key.')
    .addCommand(reencryptCommand())
    .addCommand(forgetKeyCommand())

const webhooks = (count: number) => `${count} ${count === 1 ? 'webhook' : 'webhooks'}`

const reencryptCommand = () =>
  new Command('reencrypt')
    .description(
      'Encrypt all webhook secrets and custom headers with the first key of ARDEN_ENCRYPTION_KEY, without downtime. The other keys are needed until it is done.',
    )
    .option('--json', 'print the result as one JSON object')
    .action(async ({ json }) => {
      const cipher = configuredCipher()
      const { changed, left } = await withDatabase(async sql => {
        await checkEncryptionKey(sql, cipher)
        const { at, end } = progressBar('webhooks')
        return reencryptSecrets(sql, cipher, cliActor(), at).finally(end)
      })
      if (json) printJson({ changed, left })
      else print(`Encrypted the secrets of ${webhooks(changed)} with the key ${cipher.keyId}.`)
      if (left.length > 0)
        throw new StartError(
          `The secrets of ${webhooks(left.length)} are encrypted with none of the keys in ARDEN_ENCRYPTION_KEY (${left.slice(0, 3).join(', ')}${left.length > 3 ? ', ...' : ''}). Add the key they were encrypted with, or rotate these secrets, then run this command again.`,
        )
      if (json || cipher.keyIds.length === 1) return
      const next =
        'Remove the other keys from ARDEN_ENCRYPTION_KEY once all processes run with this setting.'
      print(
        changed > 0
          ? next
          : `If that is the old key, put the new one first in ARDEN_ENCRYPTION_KEY, restart every process, and run this command again. If it is the new one, that is done. ${next}`,
      )
    })

const forgetKeyCommand = () =>
  new Command('forget-key')
    .description(
      'Go on with ARDEN_ENCRYPTION_KEY where the encryption key before it is lost for good. Prints the webhooks that need a new secret.',
    )
    .argument('<id>', 'id of the lost key, as the error of the start names it')
    .option('--json', 'print the webhooks as one JSON array')
    .action(async (lostId, { json }) => {
      const cipher = configuredCipher()
      const webhooks = await withDatabase(sql => forgetLostKey(sql, cipher, lostId, cliActor()))
      if (json) return printJson(webhooks)
      print(`Arden starts with the key ${cipher.keyId} from now on.`)
      if (webhooks.length === 0) return print('No webhook needs a new secret.')
      const rows = webhooks.map(({ id, account_id, url }) => [id, account_id, toTerminalLine(url)])
      print(table([['WEBHOOK', 'ACCOUNT', 'URL'], ...rows]))
      print('\nTheir deliveries wait until the secret is rotated and custom headers are set again.')
    })

const configuredCipher = () => {
  const { encryptionKeys } = readConfig(process.env)
  return createCipher(...requireSetting(encryptionKeys, 'ARDEN_ENCRYPTION_KEY'))
}
