import { ProviderError } from './providers/provider'

/** The limit of the API for titles, in characters. */
const TITLE_MAX = 300

export type ArticleDraft = { title: string; body: string }

/**
 * Splits the text of a provider into title and Markdown body. The first heading is the title; without one, `keyword`
 * is. A code fence around the full text is removed.
 * @throws {ProviderError} provider_incomplete when the body is empty.
 */
export const parseDraft = (response: string, keyword: string): ArticleDraft => {
  const text = removeFence(toStorable(response).trim())
  const heading = /^#{1,6}[ \t]+(\S.*)$/m.exec(text)
  const title = removeMarks(heading?.[1]?.trimEnd() ?? '')
  const body =
    heading === null
      ? text
      : `${text.slice(0, heading.index)}${text.slice(heading.index + heading[0].length)}`.trim()
  if (body === '')
    throw new ProviderError(
      'provider_incomplete',
      'The response of the provider has a title and no text. Generate it again later.',
    )
  return { title: (title || keyword).slice(0, TITLE_MAX).toWellFormed(), body }
}

/** `**Title** ##` -> `Title`. Closing `#` are removed only after white space, so "C#" is kept. */
const removeMarks = (heading: string): string => {
  let end = heading.length
  while (heading[end - 1] === '#') end--
  const text = /\s/.test(heading[end - 1] ?? ' ') ? heading.slice(0, end).trimEnd() : heading
  const isStrong = ['**', '__'].some(mark => text.startsWith(mark) && text.endsWith(mark))
  return isStrong && text.length > 4 ? text.slice(2, -2) : text
}

const removeFence = (text: string) => {
  const inside = /^```(?:markdown|md)?\n([\s\S]*)\n```$/.exec(text)?.[1]?.trim()
  return inside?.startsWith('#') ? inside : text
}

/** PostgreSQL rejects U+0000, and the generation would retry without limit. */
const toStorable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()
