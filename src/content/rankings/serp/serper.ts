import { t } from 'elysia'
import { findInPages, PAGE_SIZE, type SerpPage } from './organic'
import { type SerpAdapter, SerpProviderError, type SerpResponse } from './provider'
import { checkStatus, createReader, readText } from './response'

/** Serper.dev: https://serper.dev. `page` counts from 1; `credits` of a response is its price. */
export const createSerperAdapter = ({
  url,
  apiKey,
  priceUsd,
  depth,
}: {
  url: URL
  apiKey: string
  priceUsd: number
  depth: number
}): SerpAdapter => {
  const headers = { 'X-API-KEY': apiKey, 'Content-Type': 'application/json' }
  return {
    name: 'Serper.dev',
    url,
    search: (query, send, charge) => {
      if (query.device !== 'desktop')
        throw new SerpProviderError(
          'unusable',
          `has no results of ${query.device} searches. Use another provider for these keywords, or change their device`,
        )
      return findInPages(query, depth, page => {
        const body = {
          q: query.keyword,
          gl: query.country.toLowerCase(),
          hl: query.language.toLowerCase(),
          num: PAGE_SIZE,
          page: page + 1,
          autocorrect: false,
        }
        const init = { method: 'POST', headers, body: JSON.stringify(body) }
        return send({ url: new URL('/search', url), init }, response => {
          const { credits, ...results } = readPage(response)
          charge(credits * priceUsd)
          return results
        })
      })
    },
    account: {
      request: { url: new URL('/account', url), init: { headers } },
      read: response => {
        checkSerperStatus(response)
        return { left: readAccount(response.text).balance, unit: 'credits' }
      },
    },
  }
}

const readBody = createReader(
  t.Object({
    organic: t.Array(t.Object({ link: t.Optional(t.String()) })),
    credits: t.Optional(t.Number({ minimum: 0 })),
  }),
)

const readPage = (response: SerpResponse): SerpPage & { credits: number } => {
  checkSerperStatus(response)
  const { organic, credits = 1 } = readBody(response.text)
  // Nothing says whether more follow, but a page without a result is the last.
  return { urls: organic.map(({ link }) => link ?? null), hasNext: organic.length > 0, credits }
}

const readAccount = createReader(t.Object({ balance: t.Number() }))

/** An account without credits gets a 400, like a wrong request: only the text says which. */
const checkSerperStatus = (response: SerpResponse): void => {
  const message = readText(response.text, 'message')
  if (response.status === 400 && message !== undefined && /not enough credits/i.test(message))
    throw new SerpProviderError('out of credit', 'has no credits left for this account', {
      providerText: message,
    })
  checkStatus({ ...response, text: message ?? response.text })
}
