import { type Change, diffLines, diffWordsWithSpace } from 'diff'

/** A part of two texts: in both, only in the later one, or only in the earlier one. */
export type Part = { kind: 'same' | 'added' | 'removed'; text: string }

/** Differences after which texts are shown as replaced: these take 0.1 s each, and the time grows quadratically. */
const LINES_MAX = 1_000
const WORDS_MAX = 500

/** What differs between two texts: by lines, and within changed lines by words. */
export const compareTexts = (earlier: string, later: string): Part[] => {
  const lines = diffLines(earlier, later, { maxEditLength: LINES_MAX, stripTrailingCr: true })?.map(
    toPart,
  )
  return (lines ?? replaced(earlier, later)).flatMap((part, index, parts) => {
    const next = parts[index + 1]
    if (part.kind === 'removed' && next?.kind === 'added') return compareWords(part.text, next.text)
    // Shown with the part before it.
    return part.kind === 'added' && parts[index - 1]?.kind === 'removed' ? [] : part
  })
}

/** Texts that share less than half of their words are easier to read one after the other. */
const compareWords = (earlier: string, later: string): Part[] => {
  const parts = diffWordsWithSpace(earlier, later, { maxEditLength: WORDS_MAX })?.map(toPart) ?? []
  const shared = parts.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0)
  const isAlike = shared * 2 >= Math.max(earlier.length, later.length)
  return isAlike ? parts : replaced(earlier, later)
}

const replaced = (earlier: string, later: string): Part[] => [
  { kind: 'removed', text: earlier },
  { kind: 'added', text: later },
]

const toPart = ({ added, removed, value }: Change): Part => ({
  kind: added ? 'added' : removed ? 'removed' : 'same',
  text: value,
})
