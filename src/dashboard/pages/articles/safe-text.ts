import { LINK_SCHEMES } from '../../../content/articles/link-schemes'

/** Character references of Markdown, such as `&copy;` and `&#8364;`. */
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi

/** Decodes character references with the browser's parser, one at a time. */
export const decoded = (text: string): string =>
  text.includes('&') ? text.replace(REFERENCE, character) : text

const character = (reference: string) => {
  const { textContent } = new DOMParser().parseFromString(reference, 'text/html').body
  // A browser takes `&copyright;` for `&copy` and the rest, which Markdown does not.
  return textContent === null || /.;$/.test(textContent) ? reference : textContent
}

/** The URL of a link; undefined for `javascript:`, `data:` and URLs without a scheme. */
export const safeUrl = (href: string): string | undefined => {
  const url = decoded(href)
  return URL.canParse(url) && LINK_SCHEMES.has(new URL(url).protocol)
    ? new URL(url).href
    : undefined
}
