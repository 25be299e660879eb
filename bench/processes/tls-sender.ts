/** Sends requests to many receivers as a worker does, without PostgreSQL and Temporal. */
import { resolveAddress } from '../../src/webhooks/transport/address'
import { setNameServers } from '../../src/webhooks/transport/dns'
import { createPost, type Post } from '../../src/webhooks/transport/post'
import { handleJobs } from '../parts/child'
import type { TlsReceiver } from './tls-receiver'

export type TlsSenderJob = {
  to: TlsReceiver
  protocol: 'http' | 'https'
  receivers: number
  requests: number
  /** Whether each request is the first one to its receiver. */
  isFirst: boolean
}

const IN_FLIGHT = 100
/** Receivers of an account, as many as it can have webhooks. */
const OF_ACCOUNT = 100
const BODY = JSON.stringify({ title: 'Article', body: 'A sentence. '.repeat(20) })

let kept: Post | undefined

handleJobs<TlsSenderJob, { seconds: number }>(
  async ({ to, protocol, receivers, requests, isFirst }) => {
    setNameServers([to.nameServer])
    kept ??= createPost({ ca: to.ca })
    const post = isFirst ? createPost({ ca: to.ca }) : kept
    const port = protocol === 'https' ? to.httpsPort : to.httpPort
    let left = requests
    const sendSome = async () => {
      while (left-- > 0) {
        const receiver = left % receivers
        const url = new URL(`${protocol}://receiver-${receiver}.${to.domain}:${port}/hook`)
        const { httpStatus, error } = await post({
          accountId: `acc_${Math.floor(receiver / OF_ACCOUNT)}`,
          url,
          resolve: (deadline, lookup) =>
            resolveAddress(url, { allowPrivate: true }, deadline, lookup),
          headers: { 'content-type': 'application/json' },
          body: BODY,
          signal: new AbortController().signal,
        })
        if (httpStatus !== 200) throw new Error(`${url}: ${error ?? httpStatus}`)
      }
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: IN_FLIGHT }, sendSome))
    return { seconds: (performance.now() - began) / 1000 }
  },
)
