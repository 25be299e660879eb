import { useMemo } from 'react'
import type { ArticleVersionDetail } from '../../../../content/articles/version-schema'
import { compareTexts, type Part } from './compare'

/** Lines of unchanged text that are shown before and after a change. */
const CONTEXT_LINES = 3

const FIELDS = [
  ['title', 'Title'],
  ['meta_title', 'Meta title'],
  ['meta_description', 'Meta description'],
  ['body', 'Body'],
] as const

type Texts = Pick<ArticleVersionDetail, (typeof FIELDS)[number][0]>
type Props = { from: Texts; to: Texts }

export const isText = (field: string): boolean => FIELDS.some(([name]) => name === field)

/** What differs between two versions of an article. */
export const Difference = ({ from, to }: Props) => {
  const changed = FIELDS.filter(([field]) => from[field] !== to[field])
  if (changed.length === 0) return <p className="p-4 text-muted">The texts are the same.</p>
  return changed.map(([field, name]) => (
    <section key={field} className="border-b border-line p-4 last:border-b-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">{name}</h3>
      <TextDifference from={from[field] ?? ''} to={to[field] ?? ''} />
    </section>
  ))
}

const TextDifference = ({ from, to }: { from: string; to: string }) => {
  const parts = useMemo(() => compareTexts(from, to), [from, to])
  return (
    <div
      // Each line by itself: an article can be in Hebrew, and its first line in English.
      className="text-start text-sm leading-6 break-words whitespace-pre-wrap [unicode-bidi:plaintext]"
    >
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity
        <OnePart key={index} of={part} isFirst={index === 0} isLast={index === parts.length - 1} />
      ))}
    </div>
  )
}

type PartProps = { of: Part; isFirst: boolean; isLast: boolean }

const OnePart = ({ of: { kind, text }, isFirst, isLast }: PartProps) => {
  if (kind === 'added')
    return <ins className="rounded-sm bg-good-soft text-good no-underline">{text}</ins>
  if (kind === 'removed') return <del className="rounded-sm bg-bad-soft text-bad">{text}</del>
  const lines = text.split('\n')
  const before = isFirst ? 0 : CONTEXT_LINES
  const after = isLast ? 0 : CONTEXT_LINES
  const hidden = lines.length - before - after
  if (hidden < 2) return text
  return (
    <>
      {lines.slice(0, before).join('\n')}
      <span className="my-2 block border-y border-dashed border-line py-0.5 text-center text-xs text-muted">
        {hidden} unchanged lines
      </span>
      {lines.slice(lines.length - after).join('\n')}
    </>
  )
}
