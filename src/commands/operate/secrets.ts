import { Command } from '@commander-js/extra-typings'
import { readConfig, requireSetting } from '../../config'
import { StartError } from '../../errors'
import { checkEncryptionKey, createCipher } from '../../webhooks/signing/encryption'
import { reencryptSecrets } from '../../webhooks/signing/reencryption'
import { print, printJson } from '../print'
import { withDatabase } from './database'
import { progressBar } from './progress'

export const secretsCommand = () =>
  new Command('secrets')
    .description('Webhook secrets: encrypt them with another key.')
    .addCommand(reencryptCommand())

const reencryptCommand = () =>
  new Command('reencrypt')
    .description(
      'Encrypt all webhook secrets with the first key of ARDEN_ENCRYPTION_KEY, while serving goes on. The others are needed until it is done.',
    )
    .option('--json', 'print the figures as one JSON object')
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
          `The secrets of ${left.length} webhooks are encrypted with none of the keys in ARDEN_ENCRYPTION_KEY (${left.slice(0, 3).join(', ')}${left.length > 3 ? ', ...' : ''}). Add the key they were made with, or rotate their secrets, and run this again.`,
        )
      if (!json)
        print(
          'All are: the other keys can be left out once no process runs that still encrypts with one.',
        )
    })
