import { get as request } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * GETs `url` from a server on this machine. Uses node:http, because `fetch` would use the proxy in
 * HTTP_PROXY.
 * @throws when the request fails or takes longer than `limitMs`.
 */
export const httpGet = (url: string, limitMs: number): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs)
    const fail = (error: Error) =>
      reject(signal.aborted ? new Error(`no response within ${limitMs / 1000} s`) : error)
    request(url, { signal }, response => {
      const { statusCode: status = 0 } = response
      text(response).then(body => resolve({ status, body }), fail)
    }).once('error', fail)
  })
