import { stopAfterTests } from '../stop-after-tests'

/** One request to the language model. */
export type LlmRequest = {
  path: string
  headers: Record<string, string>
  // The tests look into requests freely.
  // biome-ignore lint/suspicious/noExplicitAny: a boundary
  body: any
}

export type Responder = (request: LlmRequest, count: number) => Response | Promise<Response>

/** `startLlm`, stopped after the tests of the file or `describe`. */
export const useLlm = (...options: Parameters<typeof startLlm>) =>
  stopAfterTests(startLlm(...options))

/** A local server that speaks OpenAI's chat completions. `respond` gets each request and its number. */
export const startLlm = (respond: Responder) => {
  const requests: LlmRequest[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async request => {
      const one = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body: await request.json().catch(() => undefined),
      }
      requests.push(one)
      return respond(one, requests.length)
    },
  })
  const url = `http://127.0.0.1:${server.port}/v1`
  return {
    url,
    requests,
    /** The environment of an Arden that lets it write. */
    env: { ARDEN_LLM_BASE_URL: url, ARDEN_LLM_API_KEY: 'sk-test', ARDEN_LLM_MODEL: 'test-model' },
    stop: () => server.stop(true),
  }
}

/** A piece of text, or `raw` text of the stream itself, such as a comment; and what happens before it. */
export type Chunk = {
  text?: string
  raw?: string | undefined
  waitMs?: number
  hold?: Promise<unknown>
}

type Usage = { prompt_tokens: number; completion_tokens: number }

/**
 * A streamed response: its pieces, then how it ends; `null` ends the connection without a word. With `usage` the last
 * chunk is that of `stream_options: {include_usage: true}`.
 */
export const streamed = (
  pieces: (string | Chunk)[],
  end: string | null = 'stop',
  usage?: Usage,
): Response => {
  const data = (value: unknown) =>
    `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'test-model',
      choices: [{ index: 0, delta, finish_reason }],
    })
  const text = async function* () {
    yield chunk({ role: 'assistant', content: '' })
    for (const piece of pieces) {
      const {
        text = '',
        raw,
        waitMs = 0,
        hold,
      }: Chunk = typeof piece === 'string' ? { text: piece } : piece
      if (waitMs > 0) await Bun.sleep(waitMs)
      await hold
      yield raw ?? chunk({ content: text })
    }
    if (end === null) return
    yield chunk({}, end)
    if (usage !== undefined)
      yield data({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        model: 'test-model-2026',
        choices: [],
        usage,
      })
    yield data('[DONE]')
  }
  return new Response(text(), { headers: { 'content-type': 'text/event-stream' } })
}

/** An error response in OpenAI's format. */
export const refusal = (status: number, code: string, headers = {}, param: string | null = null) =>
  Response.json(
    { error: { message: `sk-te**st: ${code}`, type: 'error', param, code } },
    { status, headers },
  )
