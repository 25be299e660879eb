import { Command } from '@commander-js/extra-typings'
import { readConfig, requireSetting } from '../../config'
import { StartError } from '../../errors'
import { checkEncryptionKey, createCipher } from '../../webhooks/signing/encryption'
import { reencryptSecrets } from '../../webhooks/signing/reencryption'
import { print, printJson } from '../print'
import { withDatabase } from './database'
import { progressBar } from './progress'

export const secretsCommand = () =>
  new Command('secrets').description('Webhook secrets: reencrypt.').addCommand(reencryptCommand())

const reencryptCommand = () =>
  new Command('reencrypt')
    .description(
      'Encrypt all webhook secrets and custom headers with the first key of ARDEN_ENCRYPTION_KEY, without downtime. The other keys are needed until it is done.',
    )
    .option('--json', 'print the result as one JSON object')
    .action(async ({ json }) => {
      const { encryptionKeys } = readConfig(process.env)
      const cipher = createCipher(...requireSetting(encryptionKeys, 'ARDEN_ENCRYPTION_KEY'))
      const { changed, left } = await withDatabase(async sql => {
        await checkEncryptionKey(sql, cipher)
        const { at, end } = progressBar('webhooks')
        return reencryptSecrets(sql, cipher, at).finally(end)
      })
      if (json) printJson({ changed, left })
      else print(`Encrypted the secrets of ${changed} webhooks with the key ${cipher.keyId}.`)
      if (left.length > 0)
        throw new StartError(
          `The secrets of ${left.length} webhooks are encrypted with none of the keys in ARDEN_ENCRYPTION_KEY (${left.slice(0, 3).join(', ')}${left.length > 3 ? ', ...' : ''}). Add the key they were encrypted with, or rotate these secrets, then run this command again.`,
        )
      if (!json)
        print(
          'Remove the other keys from ARDEN_ENCRYPTION_KEY once all processes run with this setting.',
        )
    })
