import { ProviderError } from './providers/provider'

/** As the API takes titles. */
const TITLE_MAX = 300

export type ArticleDraft = { title: string; body: string }

/**
 * A provider's answer as title and Markdown body: its first heading is the title, and `keyword` where it
 * has none. A code fence around the whole is taken off.
 * @throws {ProviderError} provider_incomplete when no body is left.
 */
export const parseDraft = (answer: string, keyword: string): ArticleDraft => {
  const text = withoutFence(storable(answer).trim())
  const heading = /^#{1,6}[ \t]+(\S.*)$/m.exec(text)
  const title = withoutMarks(heading?.[1]?.trimEnd() ?? '')
  const body =
    heading === null
      ? text
      : `${text.slice(0, heading.index)}${text.slice(heading.index + heading[0].length)}`.trim()
  if (body === '')
    throw new ProviderError(
      'provider_incomplete',
      'The answer has no text under its title. Generate it again later.',
    )
  return { title: (title || keyword).slice(0, TITLE_MAX).toWellFormed(), body }
}

/** Of a heading: `**Title** ##` -> `Title`. A `#` counts only after white space, as in "C#". */
const withoutMarks = (heading: string): string => {
  let end = heading.length
  while (heading[end - 1] === '#') end--
  const text = /\s/.test(heading[end - 1] ?? ' ') ? heading.slice(0, end).trimEnd() : heading
  return text.replace(/^(\*\*|__)(.*)\1$/, '$2')
}

const withoutFence = (text: string) =>
  /^```(?:markdown|md)?\n(?=\s*#)([\s\S]*)\n```$/.exec(text)?.[1]?.trim() ?? text

/** Postgres takes no U+0000, and an article that cannot be stored would be written for ever. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()
