import { nextTurn } from '../turns'
import { checkLanguage } from './language'
import type { CheckResult } from './result'
import { checkHeadings, checkKeyword, checkLength, checkPlaceholders } from './rules'
import { CHECKED_MAX, readMarkdown } from './text'

/** What the checks of a text compare it with. */
type Expectations = {
  /** BCP 47. */
  language: string
  keyword: string | null
  /** Words. */
  length: number | null
}

/**
 * Checks the text of an article by itself: its language, length, headings, keyword and placeholders (contract 6.15).
 * A check that does not apply, such as that of the length without a brief, has no result.
 */
export const checkText = async (
  { title, body }: { title: string; body: string },
  { language, keyword, length }: Expectations,
): Promise<CheckResult[]> => {
  await nextTurn()
  const text = readMarkdown(body)
  const results = [
    await checkLanguage(text, language),
    checkLength(text, length),
    checkHeadings(text),
  ]
  await nextTurn()
  results.push(checkKeyword(title, text, keyword))
  await nextTurn()
  results.push(checkPlaceholders(title, body))
  const found = results.filter(result => result !== undefined)
  return body.length > CHECKED_MAX
    ? found.map(result => ({ ...result, message: `${result.message} ${CUT}` }))
    : found
}

const CUT = `Only the first ${CHECKED_MAX.toLocaleString('en')} characters were checked.`
