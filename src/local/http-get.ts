import { get as request } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * What a server of this machine answers to GET `url`. By node:http, for `fetch` would ask the proxy that
 * HTTP_PROXY names.
 * @throws when it cannot be asked, or has not answered within `limitMs`.
 */
export const httpGet = (url: string, limitMs: number): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs)
    const fail = (error: Error) =>
      reject(signal.aborted ? new Error(`no answer within ${limitMs / 1000} s`) : error)
    request(url, { signal }, answer => {
      const { statusCode: status = 0 } = answer
      text(answer).then(body => resolve({ status, body }), fail)
    }).once('error', fail)
  })
