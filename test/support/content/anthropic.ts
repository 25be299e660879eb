import { stopAfterTests } from '../stop-after-tests'
import { type Chunk, type LlmRequest, type Responder, startLlm } from './llm'

/** A local server that speaks Anthropic's Messages API as its documentation describes it. */

/** `startAnthropic`, stopped after the tests of the file or `describe`. */
export const useAnthropic = (respond: Responder, key?: string) =>
  stopAfterTests(startAnthropic(respond, key))

/** `respond` gets each request that has what the documentation requires; the others get its errors. */
export const startAnthropic = (respond: Responder, key = 'sk-ant-test') => {
  const server = startLlm(
    (request, count) => refuseInvalid(request, key) ?? respond(request, count),
  )
  const url = server.url.replace(/\/v1$/, '')
  return { ...server, url }
}

const refuseInvalid = ({ path, headers, body }: LlmRequest, key: string): Response | undefined => {
  if (path !== '/v1/messages') return anthropicError(404, 'not_found_error', 'Not found')
  // The documentation has both headers; the SDK sends the first.
  const given = headers.authorization?.replace(/^Bearer /, '') ?? headers['x-api-key']
  if (given !== key)
    return anthropicError(401, 'authentication_error', `invalid x-api-key: ${given}`)
  if (!/^\d{4}-\d\d-\d\d$/.test(headers['anthropic-version'] ?? ''))
    return anthropicError(400, 'invalid_request_error', 'anthropic-version: header is required')
  for (const member of ['model', 'max_tokens', 'messages'])
    if (body?.[member] === undefined)
      return anthropicError(400, 'invalid_request_error', `${member}: Field required`)
  return undefined
}

/** An error response; `details` is beside its message. */
export const anthropicError = (
  status: number,
  type: string,
  message = type,
  headers = {},
  details?: object,
): Response =>
  Response.json(
    { type: 'error', error: { type, message, ...(details && { details }) }, request_id: 'req_1' },
    { status, headers },
  )

const event = (type: string, members = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`

/** An error within a stream, after a 200. */
export const errorEvent = (type: string): string =>
  event('error', { error: { type, message: type } })

type Ending = { stopReason: string } | { raw: string }

/**
 * A streamed message of 12 input tokens, 3 of which were cached, and 30 output tokens: its pieces, then the reason why
 * it ends, or `raw` text in its place.
 */
export const streamedMessage = (
  pieces: (string | Chunk)[],
  end: Ending = { stopReason: 'end_turn' },
  headers = {},
): Response => {
  const text = async function* () {
    yield event('message_start', { message: START })
    yield event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    yield event('ping')
    for (const piece of pieces) {
      const {
        text = '',
        raw,
        waitMs = 0,
        hold,
      }: Chunk = typeof piece === 'string' ? { text: piece } : piece
      if (waitMs > 0) await Bun.sleep(waitMs)
      await hold
      yield raw ?? event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
    }
    if ('raw' in end) {
      yield end.raw
      return
    }
    yield event('content_block_stop', { index: 0 })
    const delta = { stop_reason: end.stopReason, stop_sequence: null }
    yield event('message_delta', { delta, usage: { output_tokens: 30 } })
    yield event('message_stop')
  }
  return new Response(text(), { headers: { 'content-type': 'text/event-stream', ...headers } })
}

const START = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-test-20260101',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: 9,
    cache_creation_input_tokens: 2,
    cache_read_input_tokens: 1,
    output_tokens: 1,
  },
}
