import { nextTurn } from '../turns'
import { type CheckResult, ok, warning } from './result'
import { CHECKED_MAX, wordsOf } from './text'

/** Words of a passage. Five words in the same order are rarely chance. */
const PASSAGE_WORDS = 5
/** The part of the passages that another article also has, from which it is reported. */
const SIMILAR = 0.3
/** Characters that a text is compared with, so that one check takes about half a second of CPU at most. */
const COMPARED_MAX = 2_000_000
/** Characters that are compared at a time: 5 ms of CPU. The few passages from one part to the next are left out. */
const PART = 20_000
/** Passages of a text that can be compared. */
const PASSAGES_MIN = 20

export type OtherArticle = { id: string; title: string; body: string }

/**
 * Compares a text with those of other articles, in pages, up to 2 million characters of them. Undefined for a text that is
 * too short. Each article is
 * compared in a turn of the event loop: the longest takes 30 ms.
 */
export const checkSimilarity = async (
  body: string,
  others: AsyncIterable<readonly OtherArticle[]>,
): Promise<CheckResult | undefined> => {
  const passages = await passagesOf(body)
  if (passages.size < PASSAGES_MIN) return undefined
  let most: { part: number; other?: OtherArticle } = { part: 0 }
  for await (const other of untilMax(others)) {
    const part = await sharedPart(passages, other.body)
    if (part > most.part) most = { part, other }
  }
  const { part, other } = most
  if (other === undefined || part < SIMILAR)
    return ok('similarity', 'The text is not similar to another article of the project.')
  return warning(
    'similarity',
    `${Math.round(part * 100)} % of the text is also in “${other.title}” (${other.id}). Rewrite one of them, or merge them.`,
  )
}

/** The first ones, until they have as many characters as are compared. */
const untilMax = async function* (
  pages: AsyncIterable<readonly OtherArticle[]>,
): AsyncGenerator<OtherArticle> {
  let compared = 0
  for await (const page of pages)
    for (const other of page) {
      if (compared >= COMPARED_MAX) return
      compared += Math.min(other.body.length, CHECKED_MAX)
      yield other
    }
}

const passagesOf = async (text: string): Promise<Set<string>> => {
  const own = new Set<string>()
  for await (const part of parts(text)) for (const passage of passages(part)) own.add(passage)
  return own
}

/** The compared beginning of a text, in parts. */
const parts = async function* (text: string): AsyncGenerator<string> {
  for (let at = 0; at < Math.min(text.length, CHECKED_MAX); at += PART) {
    await nextTurn()
    yield text.slice(at, Math.min(at + PART, CHECKED_MAX))
  }
}

const passages = function* (text: string): Generator<string> {
  const words = wordsOf(text)
  for (let at = 0; at + PASSAGE_WORDS <= words.length; at++)
    yield words.slice(at, at + PASSAGE_WORDS).join(' ')
}

const sharedPart = async (own: ReadonlySet<string>, other: string): Promise<number> => {
  const shared = new Set<string>()
  for await (const part of parts(other))
    for (const passage of passages(part)) if (own.has(passage)) shared.add(passage)
  return shared.size / own.size
}
