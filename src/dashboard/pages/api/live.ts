import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Mode } from '../../../caller'
import type { Hint } from '../../stream'

/** Changes that come within this time, in ms, are asked for together. */
const GATHER_MS = 400
/** Until a stream that ended is opened again, in ms. */
const AGAIN_MS = 5_000

/**
 * Keeps the page true: the server says which kinds of records have changed, and what the page shows of
 * them is asked for again. Only while the page is looked at, for browsers have few connections to a host;
 * what was missed meanwhile is asked for when one looks again.
 */
export const useLive = (mode: Mode): void => {
  const client = useQueryClient()
  useEffect(() => {
    let stream: EventSource | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    let gathering: ReturnType<typeof setTimeout> | undefined
    let missed = false
    const kinds = new Set<string>()

    const refresh = () => {
      gathering = undefined
      const changed = new Set(kinds)
      kinds.clear()
      client.invalidateQueries({
        predicate: ({ queryKey: [of, kind] }) =>
          (of === mode || of === null) && (changed.has('*') || changed.has(String(kind))),
      })
    }
    const heed = (hint: Hint) => {
      for (const kind of hint.kinds) kinds.add(kind)
      gathering ??= setTimeout(refresh, GATHER_MS)
    }
    const open = () => {
      close()
      stream = new EventSource(`/dashboard/api/stream?mode=${mode}`)
      stream.onopen = () => {
        if (missed) heed({ kinds: ['*'] })
        missed = true
      }
      stream.onmessage = ({ data }) => heed(JSON.parse(data))
      stream.onerror = () => {
        // Refused: perhaps signed out, which the next question will tell.
        if (stream?.readyState !== EventSource.CLOSED) return
        heed({ kinds: ['me'] })
        again = setTimeout(open, AGAIN_MS)
      }
    }
    const close = () => {
      clearTimeout(again)
      stream?.close()
      stream = undefined
    }
    const look = () => (document.visibilityState === 'visible' ? open() : close())

    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      clearTimeout(gathering)
      close()
    }
  }, [mode, client])
}
