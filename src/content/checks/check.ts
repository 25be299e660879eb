import { checkLanguage } from './language'
import type { CheckResult } from './result'
import { checkHeadings, checkKeyword, checkLength, checkPlaceholders } from './rules'
import { readMarkdown } from './text'

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
  const text = readMarkdown(body)
  const results = [
    await checkLanguage(text, language),
    checkLength(text, length),
    checkHeadings(text),
    checkKeyword(title, text, keyword),
    checkPlaceholders(title, body),
  ]
  return results.filter(result => result !== undefined)
}
