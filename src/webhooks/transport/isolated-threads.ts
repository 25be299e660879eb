/**
 * Threads for attempts whose TLS handshake can cost much CPU (isolated-thread.ts): there it delays no other account's
 * attempts. Each account has a thread of its own, as long as there are few of them.
 */
import { Worker } from 'node:worker_threads'
import type { Deadline } from './deadlines'
import { type Address, changedNameServers } from './dns'
import type { AddressedRequest, PostOutcome } from './exchange'

/** Threads of a process, each with an event loop and 20 MB. Further accounts share them. */
const THREADS_MAX = 4
/** A thread without requests ends after this time, in ms. */
const IDLE_MS = 60_000
/** Time for a thread to return what has arrived by the deadline, in ms. It may be busy with a handshake. */
const END_MS = 500

/** The thread ended before the request did: not an attempt (contract 5.4). */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
}

/** `servers`: name servers instead of those that the thread's resolver reads from the configuration. */
export type ThreadSettings = {
  timeoutMs: number
  ca?: string | undefined
  servers?: readonly string[] | undefined
}

/** `end`: the deadline of the request passed, for this reason. */
export type ToThread =
  | { id: number; account: string; name: string }
  | ({ id: number; account: string; url: string } & Omit<AddressedRequest, 'url'>)
  | { id: number; end: string }

export type ThreadResult = { outcome: PostOutcome; isHandshakeError: boolean }

/** `code` is that of a failed lookup. `localError`: this machine could not open a connection. */
export type FromThread = { id: number } & (
  | ThreadResult
  | { addresses: Address[] }
  | { code: string }
  | { localError: string }
)

type Request = { resolve: (result: FromThread) => void; reject: (reason: unknown) => void }
type Thread = { worker: Worker; requests: Map<number, Request>; idle?: NodeJS.Timeout }
/** `running`: requests of the account in its thread. */
type Assignment = { thread: Thread; running: number }

/** Defined by the build (build/compile.ts), in a binary: the path of the embedded file. */
declare const ARDEN_ISOLATED_THREAD: string | undefined
const FILE =
  typeof ARDEN_ISOLATED_THREAD === 'undefined'
    ? new URL('./isolated-thread.ts', import.meta.url)
    : ARDEN_ISOLATED_THREAD

/** `file` has the code of a thread. */
export const createIsolatedThreads = (
  settings: Omit<ThreadSettings, 'servers'>,
  file: string | URL = FILE,
) => {
  const threads = new Set<Thread>()
  const byAccount = new Map<string, Assignment>()
  let lastId = 0

  const forget = (thread: Thread) => {
    threads.delete(thread)
    for (const [account, its] of byAccount) if (its.thread === thread) byAccount.delete(account)
  }
  const start = (): Thread => {
    const worker = new Worker(file, { workerData: { ...settings, servers: changedNameServers() } })
    worker.unref()
    const thread: Thread = { worker, requests: new Map() }
    threads.add(thread)
    let cause: unknown
    worker.on('message', (message: FromThread) => {
      const request = thread.requests.get(message.id)
      if ('localError' in message) request?.reject(new ThreadEnded(message.localError))
      else if ('code' in message)
        request?.reject(Object.assign(new Error('the lookup failed'), { code: message.code }))
      else request?.resolve(message)
    })
    worker.on('error', error => {
      cause = error
    })
    worker.on('exit', () => {
      forget(thread)
      const error = new ThreadEnded('the thread of the attempt ended', { cause })
      for (const { reject } of thread.requests.values()) reject(error)
    })
    return thread
  }
  /** An account stays in its thread, with its idle connections, unless all requests there are of others. */
  const assign = (account: string): Assignment => {
    const known = byAccount.get(account)
    if (known !== undefined && (known.running > 0 || known.thread.requests.size === 0)) return known
    const [leastUsed] = [...threads].sort((a, b) => a.requests.size - b.requests.size)
    const thread = leastUsed === undefined || threads.size < THREADS_MAX ? start() : leastUsed
    const assignment = { thread, running: 0 }
    byAccount.set(account, assignment)
    return assignment
  }

  /** Calls `start` with a new id and the thread, and returns the message with that id. */
  const request = async (
    account: string,
    start: (id: number, post: (message: ToThread) => void, reject: Request['reject']) => void,
  ): Promise<FromThread> => {
    const assignment = assign(account)
    const { thread } = assignment
    const { worker, requests } = thread
    clearTimeout(thread.idle)
    const id = ++lastId
    assignment.running++
    try {
      return await new Promise<FromThread>((resolve, reject) => {
        requests.set(id, { resolve, reject })
        start(id, message => worker.postMessage(message), reject)
      })
    } finally {
      assignment.running--
      requests.delete(id)
      if (requests.size === 0)
        thread.idle = setTimeout(() => {
          forget(thread)
          void worker.terminate()
        }, IDLE_MS).unref()
    }
  }

  return {
    /** @throws {ThreadEnded}; the reason of the deadline where the thread has returned nothing by then. */
    send: async (
      account: string,
      { url, ...rest }: AddressedRequest,
      deadline: Deadline,
    ): Promise<ThreadResult> => {
      const result = await request(account, (id, post, reject) => {
        post({ id, account, url: url.href, ...rest })
        deadline.onTimeout(reason => {
          post({ id, end: reason instanceof Error ? reason.message : String(reason) })
          setTimeout(reject, END_MS, reason)
        })
      }).finally(() => deadline.onTimeout(undefined))
      if ('outcome' in result) return result
      throw new ThreadEnded('the thread returned no outcome')
    },
    /** Returns no more addresses than are needed to refuse the name. @throws the error of the lookup; {ThreadEnded}. */
    lookup: async (account: string, name: string): Promise<Address[]> => {
      const result = await request(account, (id, post) => post({ id, account, name }))
      return 'addresses' in result ? result.addresses : []
    },
  }
}
