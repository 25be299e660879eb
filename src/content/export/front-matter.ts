import type { ExportedArticle } from './store'

/** The article as Markdown with YAML front matter: its body is unchanged (contract 6.17). */
export const toMarkdown = ({ body, ...article }: ExportedArticle): string =>
  `---\n${frontMatter(article)}---\n\n${body}`

/** The article's id and its body from a file that `toMarkdown` made, also after an editor or a formatter changed it. */
export const fromMarkdown = (text: string): { id: string; body: string } | undefined => {
  const [begin, id] = /^---[ \t]*\r?\nid: ["']?(art_\w{1,40})["']?[ \t]*\r?\n/.exec(text) ?? []
  if (begin === undefined || id === undefined) return undefined
  const rest = text.slice(begin.length)
  const end = END.exec(rest)
  return end === null ? undefined : { id, body: rest.slice(end.index + end[0].length) }
}

/** The line that ends it, and the empty one behind it. */
const END = /^---[ \t]{0,20}(?:\r?\n(?:\r?\n)?|(?![\s\S]))/m

const frontMatter = (article: Omit<ExportedArticle, 'body'>): string =>
  [
    ...lines(article, ['id', 'title', 'slug', 'status', 'language', 'keyword']),
    ...(article.tags.length === 0 ? [] : [`tags: [${article.tags.map(quoted).join(', ')}]\n`]),
    ...lines(article, ['meta_title', 'meta_description']),
    ...lines(article, ['created_at', 'updated_at', 'published_at']),
  ].join('')

/** A line for each member that has a value. */
const lines = <Name extends string>(
  article: { [name in Name]: string | null },
  names: readonly Name[],
): string[] =>
  names.flatMap(name => {
    const value = article[name]
    return value === null ? [] : [`${name}: ${quoted(value)}\n`]
  })

/**
 * A string of JSON is one of YAML, which no parser takes for a number, a date, a boolean or a key. Escaped in addition:
 * what YAML does not permit in a text, and what YAML 1.1 takes for a line break.
 */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
