import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Mode } from '../../../caller'
import type { ChangedTopic } from '../../../notifications/topics'
import type { TopicsMessage } from '../../stream/routes'
import { checkConnection } from './connection'
import { withPageTopics } from './topics'

/** Changes within this time, in ms, cause one refresh. */
const GATHER_MS = 400
/** Delay before a refused stream is opened again, in ms. */
const RETRY_MS = 5_000

/**
 * Live updates: the server sends the topics that have changed, and every query of those topics is run again.
 * The stream is open only while the page is visible, because browsers limit the connections to a host; when
 * the page becomes visible again, every query is stale.
 */
export const useLive = (mode: Mode): void => {
  const client = useQueryClient()
  useEffect(() => {
    let stream: EventSource | undefined
    let retrying: ReturnType<typeof setTimeout> | undefined
    let gathering: ReturnType<typeof setTimeout> | undefined
    let hasMissed = false
    const topics = new Set<string>()

    const refresh = () => {
      gathering = undefined
      const changed = new Set(topics)
      topics.clear()
      client.invalidateQueries({
        predicate: ({ queryKey: [of, topic] }) =>
          (of === mode || of === null) && (changed.has('*') || changed.has(String(topic))),
      })
    }
    const handle = (changed: readonly (ChangedTopic | 'me')[]) => {
      for (const topic of changed.flatMap(withPageTopics)) topics.add(topic)
      gathering ??= setTimeout(refresh, GATHER_MS)
    }
    const open = () => {
      close()
      stream = new EventSource(`/dashboard/api/stream?mode=${mode}`)
      stream.onopen = () => {
        if (hasMissed) handle(['*'])
        hasMissed = true
      }
      stream.onmessage = ({ data }) => {
        const message: TopicsMessage = JSON.parse(data)
        handle(message.topics)
      }
      stream.onerror = () => {
        void checkConnection()
        // Refused, perhaps because the session has ended: reading `me` again finds out.
        if (stream?.readyState !== EventSource.CLOSED) return
        handle(['me'])
        retrying = setTimeout(open, RETRY_MS)
      }
    }
    const close = () => {
      clearTimeout(retrying)
      stream?.close()
      stream = undefined
    }
    const openIfVisible = () => (document.visibilityState === 'visible' ? open() : close())

    openIfVisible()
    document.addEventListener('visibilitychange', openIfVisible)
    return () => {
      document.removeEventListener('visibilitychange', openIfVisible)
      clearTimeout(gathering)
      close()
    }
  }, [mode, client])
}
