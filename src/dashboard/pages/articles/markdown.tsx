import { getDefaults, lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from 'marked'
import { Children, cloneElement, Fragment, isValidElement, type ReactNode } from 'react'
import { addressIn, EMAIL_ADDRESS } from '../../../content/articles/bare-address'
import { decoded, safeUrl } from './safe-text'

/** Deeper than in any real article. Browsers fail to lay out thousands of nested boxes. */
const DEPTH_MAX = 30

/**
 * Renders Markdown as React elements, never as HTML: tags are shown as text, links may only lead to web and
 * mail addresses, and pictures are named, not loaded.
 * @throws {RangeError} for thousands of nested quotes.
 */
export const markdown = (text: string): ReactNode =>
  blocks(lexer(text, { ...getDefaults(), tokenizer: new AsExported() }), 0)

/**
 * Reads a text as exports do: a tag begins no block, and an address without brackets has no marks of other languages than
 * English at its end.
 */
class AsExported extends Tokenizer {
  override html(): undefined {
    return undefined
  }

  /** Without email addresses, which are found in the shown text (`withEmails`). */
  override url(text: string): Tokens.Link | undefined {
    const link = super.url(text)
    if (link === undefined || link.href.startsWith('mailto:')) return undefined
    const raw = addressIn(link.raw)
    return {
      ...link,
      raw,
      text: raw,
      href: link.href.slice(0, link.href.length - link.raw.length + raw.length),
      tokens: [{ type: 'text', raw, text: raw, escaped: false }],
    }
  }
}

const blocks = (tokens: readonly Token[] = [], depth: number): ReactNode =>
  joined(tokens).map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a token has no other identity
    <Fragment key={index}>
      {depth > DEPTH_MAX ? token.raw : block(token as MarkedToken, depth)}
    </Fragment>
  ))

/**
 * With texts that only an escaped mark divides as one: `max\_muster@acme.com` is an address. Their references are not
 * decoded, as some are in the text of a token.
 */
const joined = (tokens: readonly Token[]): Token[] => {
  const groups: Token[][] = []
  for (const token of tokens) {
    const group = groups.at(-1)
    if (isPlain(token) && group?.[0] !== undefined && isPlain(group[0])) group.push(token)
    else groups.push([token])
  }
  return groups.flatMap(group => (group.every(isPlain) ? [textOf(group)] : group))
}

const isPlain = (token: Token): token is Tokens.Text | Tokens.Escape =>
  token.type === 'text'
    ? token.tokens === undefined
    : token.type === 'escape' && /^\\[_.+-]$/.test(token.raw)

const textOf = (tokens: readonly (Tokens.Text | Tokens.Escape)[]): Tokens.Text => {
  const text = tokens.map(one => (one.type === 'text' ? one.raw : one.text)).join('')
  return { type: 'text', raw: text, text }
}

/**
 * Hebrew and Arabic begin on the right, with their list marks. Only an outermost block has a `dir`: what has one counts
 * for none around it. Code is as it is.
 */
const block = (token: MarkedToken, depth: number): ReactNode => {
  const shown = element(token, depth + 1)
  const hasDirection = depth === 0 && token.type !== 'code'
  return hasDirection && isValidElement<{ dir?: string }>(shown)
    ? cloneElement(shown, { dir: 'auto' })
    : shown
}

const element = (token: MarkedToken, depth: number): ReactNode => {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return heading(token.depth, blocks(token.tokens, depth))
    case 'paragraph':
      return <p className="my-3">{blocks(token.tokens, depth)}</p>
    case 'blockquote':
      return (
        <blockquote className="my-3 border-s-2 border-line-strong ps-3.5 text-muted">
          {blocks(token.tokens, depth)}
        </blockquote>
      )
    case 'list':
      return list(token, depth)
    case 'list_item':
      return <li className="my-1 [&>p]:my-1">{blocks(token.tokens, depth)}</li>
    case 'checkbox':
      return (
        <span role="img" aria-label={token.checked ? 'done' : 'to do'}>
          {token.checked ? '☑ ' : '☐ '}
        </span>
      )
    case 'table':
      return table(token, depth)
    case 'hr':
      return <hr className="my-6" />
    case 'code':
      return (
        <pre className="my-3 rounded-lg bg-sunken p-3 font-mono text-sm break-words whitespace-pre-wrap">
          <code>{token.text}</code>
        </pre>
      )
    case 'codespan':
      return <code className="rounded bg-sunken px-1 font-mono text-sm">{token.text}</code>
    case 'strong':
      return <strong>{blocks(token.tokens, depth)}</strong>
    case 'em':
      return <em>{blocks(token.tokens, depth)}</em>
    case 'del':
      return <del>{blocks(token.tokens, depth)}</del>
    case 'br':
      return <br />
    case 'link':
      return link(token.href, blocks(token.tokens.map(withoutLink), depth))
    case 'image':
      return picture(token)
    case 'text':
      return token.tokens === undefined ? withEmails(token.text) : blocks(token.tokens, depth)
    case 'escape':
      return token.text
    case 'html':
      return <code className="font-mono text-sm text-muted">{token.raw}</code>
  }
}

type Of<Type extends MarkedToken['type']> = Extract<MarkedToken, { type: Type }>

/** One level down, because the title of the page is level 1. */
const heading = (level: number, children: ReactNode) => {
  if (level === 1) return <h2 className="mt-6 mb-2 text-xl font-semibold first:mt-0">{children}</h2>
  if (level === 2) return <h3 className="mt-6 mb-2 text-lg font-semibold first:mt-0">{children}</h3>
  return <h4 className="mt-5 mb-1.5 font-semibold first:mt-0">{children}</h4>
}

const list = ({ ordered, start, items }: Of<'list'>, depth: number) =>
  ordered ? (
    <ol start={start === '' ? 1 : start} className="my-3 list-decimal ps-6">
      {blocks(items, depth)}
    </ol>
  ) : (
    <ul className="my-3 list-disc ps-6">{blocks(items, depth)}</ul>
  )

const table = ({ header, rows, align }: Of<'table'>, depth: number) => (
  <table className="my-3 w-full text-sm">
    <thead>
      <tr className="border-b border-line-strong">
        {header.map(({ tokens }, column) => (
          <th
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no other identity
            key={column}
            className="px-2 py-1.5 font-semibold"
            style={{ textAlign: align[column] ?? 'start' }}
          >
            {blocks(tokens, depth)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((cells, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <tr key={row} className="border-b border-line">
          {cells.map(({ tokens }, column) => (
            <td
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              key={column}
              className="px-2 py-1.5"
              style={{ textAlign: align[column] ?? 'start' }}
            >
              {blocks(tokens, depth)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const LINK = 'text-accent underline underline-offset-2'

/** Relative links of the article do not work in the dashboard. */
const link = (href: string, children: ReactNode) => {
  const url = safeUrl(href)
  return url === undefined ? (
    <span className="underline decoration-dotted underline-offset-2" title={href}>
      {children}
    </span>
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={LINK}>
      {children}
    </a>
  )
}

/** Email addresses as exports link them. One that is hidden, as in `info&#64;acme.com`, is none before it is decoded. */
const withEmails = (text: string): ReactNode => {
  const parts: ReactNode[] = []
  let end = 0
  for (const { index, 0: all, 2: address } of text.matchAll(EMAIL_ADDRESS)) {
    if (address === undefined) continue
    const start = index + all.length - address.length
    parts.push(decoded(text.slice(end, start)), link(`mailto:${address}`, address))
    end = start + address.length
  }
  return parts.length === 0 ? decoded(text) : Children.toArray([...parts, decoded(text.slice(end))])
}

/** A picture or an address within a link has no link of its own. */
const withoutLink = (token: Token): Token => {
  if (token.type === 'image')
    return { type: 'escape', raw: token.raw, text: `Image: ${nameOf(token as Of<'image'>)}` }
  if (token.type === 'text' && token.tokens === undefined)
    return { type: 'escape', raw: token.raw, text: decoded(token.raw) }
  return 'tokens' in token ? { ...token, tokens: token.tokens?.map(withoutLink) } : token
}

const nameOf = ({ tokens, href }: Of<'image'>): string => withoutMarks(tokens) || href

const withoutMarks = (tokens: readonly Token[]): string =>
  tokens
    .map(token =>
      'tokens' in token && token.tokens !== undefined
        ? withoutMarks(token.tokens)
        : decoded('text' in token ? token.text : token.raw),
    )
    .join('')

/** Loading it would reveal the reader to its host. */
const picture = (image: Of<'image'>) => (
  <span className="inline-flex flex-wrap items-baseline gap-x-1.5 rounded-md border border-dashed border-line-strong px-2 py-1 text-sm text-muted">
    Image: {link(image.href, nameOf(image))}
  </span>
)
