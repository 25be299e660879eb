import { providerError } from './failures'
import type { ProviderError } from './provider'

/** In ms: for the full response, and for the wait for its first or next bytes. */
export type ProviderTimeouts = { responseMs: number; silenceMs: number }

/** Aborts `signal` when the response takes too long, or its next bytes do. `error` is the reason then. */
export const startTimeouts = (
  { responseMs, silenceMs }: ProviderTimeouts,
  callerSignal: AbortSignal,
) => {
  const controller = new AbortController()
  let error: ProviderError | undefined
  const fail = (reason: ProviderError) => {
    error = reason
    controller.abort(reason)
  }
  const onSilence = () =>
    fail(providerError('silent', `The provider sent nothing for ${silenceMs / 1000} s.`))
  const total = setTimeout(
    () =>
      fail(
        providerError(
          'too_slow',
          `The response of the provider was not complete after ${responseMs / 1000} s.`,
        ),
      ),
    responseMs,
  )
  let silence = setTimeout(onSilence, silenceMs)
  return {
    signal: AbortSignal.any([callerSignal, controller.signal]),
    get error() {
      return error
    },
    onBytes: () => {
      clearTimeout(silence)
      silence = setTimeout(onSilence, silenceMs)
    },
    stop: () => {
      clearTimeout(total)
      clearTimeout(silence)
      // Ends the request when the reader stopped early.
      controller.abort()
    },
  }
}
