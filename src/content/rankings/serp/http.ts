import { t } from 'elysia'
import { NewRanking } from '../schema'
import type { SerpAdapter } from './provider'
import { checkStatus, createReader } from './response'

/** Any service that supports the request of docs/serp-provider.md, and finds the position itself. */
export const createHttpAdapter = ({
  url,
  apiKey,
  priceUsd,
}: {
  url: URL
  apiKey: string | undefined
  priceUsd: number | null
}): SerpAdapter => {
  const headers = {
    'Content-Type': 'application/json',
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
  }
  return {
    name: url.host,
    url,
    search: (query, send, charge) =>
      send({ url, init: { method: 'POST', headers, body: JSON.stringify(query) } }, response => {
        checkStatus(response)
        charge(priceUsd)
        const { position, url, checked_at } = readRanking(response.text)
        return {
          position,
          ...(url !== undefined && { url }),
          ...(checked_at !== undefined && { checked_at }),
        }
      }),
  }
}

const readRanking = createReader(t.Object(NewRanking.properties))
