/**
 * Sends requests at a steady rate and receives their webhooks, so one clock measures both ends. The title of
 * the article identifies the request.
 */
import { randomUUID } from 'node:crypto'
import { handleJobs } from '../parts/child'

export type ProberJob =
  | 'where'
  | { url: string; key?: string; projectId: string; perSecond: number; seconds: number }

/** `receiverUrl` receives the webhooks; `latencies` are sorted, in ms. */
export type ProberResult = { receiverUrl: string; latencies: number[] }

/** Timeout of the last webhook, in ms. */
const RECEIVE_TIMEOUT_MS = 120_000

const arrived = new Map<string, (at: number) => void>()
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async request => {
    const at = performance.now()
    const { data } = (await request.json()) as { data: { title: string } }
    arrived.get(data.title)?.(at)
    arrived.delete(data.title)
    return new Response('ok')
  },
})
const receiverUrl = `http://127.0.0.1:${receiver.port}/hook`

const probe = async (url: string, key: string | undefined, projectId: string): Promise<number> => {
  const title = `Probe ${randomUUID()}`
  const received = Promise.withResolvers<number>()
  arrived.set(title, received.resolve)
  const late = setTimeout(
    () => received.reject(new Error(`no webhook arrived within ${RECEIVE_TIMEOUT_MS / 1000} s`)),
    RECEIVE_TIMEOUT_MS,
  )
  const began = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ project_id: projectId, title, body: 'A sentence.' }),
  })
  if (!response.ok)
    throw new Error(`${url} responded with ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  const at = await received.promise
  clearTimeout(late)
  return at - began
}

handleJobs<ProberJob, ProberResult>(async job => {
  if (job === 'where') return { receiverUrl, latencies: [] }
  const { url, key, projectId, perSecond, seconds } = job
  const probes: Promise<number>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const one = probe(url, key, projectId)
    one.catch(() => {}) // Awaited below.
    probes.push(one)
    // Random pauses, to avoid running in step with a timer.
    await Bun.sleep((1000 / perSecond) * (0.5 + Math.random()))
  }
  return { receiverUrl, latencies: (await Promise.all(probes)).sort((a, b) => a - b) }
})
