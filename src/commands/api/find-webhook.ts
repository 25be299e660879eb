import { type Arden, ArdenError, type Webhook } from '@arden/sdk'

/** The webhook of a delivery; undefined where it was deleted. */
export const findWebhook = async (api: Arden, id: string): Promise<Webhook | undefined> => {
  try {
    return (await api.get('/webhooks/{id}', { path: { id } })).data
  } catch (error) {
    if (error instanceof ArdenError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}
