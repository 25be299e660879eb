import { ArdenError, createArden } from '@arden/sdk'
import type { StartError } from '../../errors'
import { commandError } from '../api/connection'
import type { Profile } from '../profiles'

/** Revokes the key of a profile. Returns the error if it is not revoked: a key with the scope `read` cannot revoke itself. */
export const revokeKey = async ({ url, key }: Profile): Promise<StartError | undefined> => {
  const api = createArden({ url, apiKey: key, retries: 0 })
  try {
    const { data } = await api.get('/api-keys/current')
    await api.delete('/api-keys/{id}', { path: { id: data.id } })
    return undefined
  } catch (error) {
    if (!(error instanceof ArdenError)) throw error
    // It was revoked before.
    return error.code === 'UNAUTHORIZED' ? undefined : commandError(error, url)
  }
}

/** What the user does about a key that `revokeKey` did not revoke. */
export const notRevoked = ({ message }: StartError): string =>
  `The key was not revoked: ${message} Revoke it on the page of API keys in the dashboard.`
