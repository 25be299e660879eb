import { useReceiver } from '../receiver'
import { ARTICLE, partOf } from './generations'
import { type LlmRequest, refusal, streamed, useLlm } from './llm'

/** What the work of a content team needs: many keywords, and providers that fail now and then. */

export const KEYWORDS = 200
export const ARTICLES = 20

export const keywordOf = (n: number) => `coffee recipe ${n}`
/** The provider rejects one of its sections until `correct()`. */
export const REJECTED = keywordOf(3)
const REJECTED_TEXT = `${REJECTED} / section ${ARTICLE.headings[1]}`

/** A file as a spreadsheet writes it: a byte order mark, CRLF, a cell in quotation marks. */
export const keywordsCsv = (count = KEYWORDS): string =>
  `\ufeff${['keyword,country,tags', ...lines(count)].join('\r\n')}\r\n`

const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `"${keywordOf(n)}",US,${n < ARTICLES ? 'first;' : ''}q3`)

/** What each finished text costs. */
export const TOKENS = { prompt_tokens: 100, completion_tokens: 40 }

/**
 * A language model that writes each text once it has failed for it as `FAILURES` says. `texts`: what was requested, in
 * the order of the requests, such as "coffee recipe 3 / section Wait".
 */
export const useUnreliableLlm = () => {
  const texts: string[] = []
  let isCorrected = false
  const llm = useLlm(request => {
    const name = nameOf(request)
    const isRepeated = texts.includes(name)
    const count = new Set(texts).size
    texts.push(name)
    if (name === REJECTED_TEXT && !isCorrected) return refusal(400, 'content_policy')
    const fail = isRepeated ? undefined : FAILURES[count % FAILURES_EVERY]
    return fail?.(request) ?? written(request)
  })
  return {
    env: { ...llm.env, ARDEN_LLM_MODEL: 'test-model=3/15' },
    texts,
    /** The rejected section is written from now on. */
    correct: () => {
      isCorrected = true
    },
  }
}

/** One in this many texts fails in each of these ways before it is written. */
const FAILURES_EVERY = 30
const FAILURES: { [nth: number]: (request: LlmRequest) => Response } = {
  3: () => refusal(500, 'server_error'),
  9: () =>
    refusal(429, 'rate_limit_exceeded', {
      'retry-after': '1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1s',
    }),
  15: () => streamed(['Half of a', ' text'], null),
  21: request => written(request, 1_500),
  27: () => refusal(503, 'overloaded', { 'retry-after': '1' }),
}

const written = (request: LlmRequest, waitMs = 0): Response =>
  streamed([{ text: textOf(request), waitMs }], 'stop', TOKENS)

const textOf = (request: LlmRequest): string => {
  const keyword = keywordIn(request)
  switch (partOf(request)) {
    case 'outline':
      return ARTICLE.headings.join('\n')
    case 'metadata':
      return `Title: All about ${keyword}\nSlug: ${keyword}\nMeta description: How to make it.`
    case 'introduction':
      return `What you need to know about ${keyword}.`
    case 'section':
      return `${headingIn(request)}: the ${keyword} takes a little time.`
  }
}

const nameOf = (request: LlmRequest): string =>
  [`${keywordIn(request)} /`, partOf(request), headingIn(request)].filter(Boolean).join(' ')

const promptOf = ({ body }: LlmRequest): string =>
  body.messages.map(({ content }: { content: string }) => content).join('\n')
const keywordIn = (request: LlmRequest) => /search for: (.*)/.exec(promptOf(request))?.[1] ?? ''
const headingIn = (request: LlmRequest) =>
  /heading of the section: (.*)/.exec(promptOf(request))?.[1] ?? ''

/** A SERP provider that finds each keyword of `keywordOf` at a position of its own, and every fifth nowhere. */
export const useRankings = () => {
  const server = useReceiver(({ body }) => {
    const { keyword } = JSON.parse(body)
    const position = positionOf(keyword)
    return Response.json({ position, url: position && `https://coffee.example/${position}` })
  })
  return { env: { ARDEN_SERP_URL: server.url }, requests: server.received }
}

export const positionOf = (keyword: string): number | null => {
  const n = Number(/\d+$/.exec(keyword)?.[0])
  return n % 5 === 4 ? null : (n % 100) + 1
}
