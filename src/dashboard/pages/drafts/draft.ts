import type { Article } from '../../../content/articles/schema'

/** What a person changes of an article. */
export type Fields = Pick<Article, 'title' | 'slug' | 'body' | 'keyword_id'>

/** What is being typed, and what it was typed over. */
export type Draft = { base: Fields; fields: Fields }

const NAMES = ['title', 'slug', 'body', 'keyword_id'] as const

const fieldsOf = ({ title, slug, body, keyword_id }: Article): Fields => ({
  title,
  slug,
  body,
  keyword_id,
})

export const begin = (article: Article): Draft => ({
  base: fieldsOf(article),
  fields: fieldsOf(article),
})

/** What of it is not saved: what a PATCH must say. */
export const unsaved = ({ base, fields }: Draft): Partial<Fields> =>
  Object.fromEntries(
    NAMES.filter(name => fields[name] !== base[name]).map(name => [name, fields[name]]),
  )

export const isDirty = (draft: Draft): boolean => Object.keys(unsaved(draft)).length > 0

/** The article has changed: what was not touched here follows it, and what was typed stays. */
export const follow = ({ base, fields }: Draft, article: Article): Draft => {
  const next = begin(article)
  for (const name of NAMES)
    if (fields[name] !== base[name] && fields[name] !== article[name]) {
      Object.assign(next.base, { [name]: base[name] })
      Object.assign(next.fields, { [name]: fields[name] })
    }
  return next
}

/** It is saved. What was typed since `sent` stays, as unsaved. */
export const saved = ({ fields }: Draft, sent: Fields, article: Article): Draft => {
  const next = begin(article)
  for (const name of NAMES)
    if (fields[name] !== sent[name]) Object.assign(next.fields, { [name]: fields[name] })
  return next
}

/** The names of what was changed here and, since, elsewhere: saving would undo that. */
export const conflicts = ({ base, fields }: Draft, article: Article): string[] =>
  NAMES.filter(
    name =>
      fields[name] !== base[name] && article[name] !== base[name] && article[name] !== fields[name],
  )

const PREFIX = 'arden.draft.'
const key = (id: string) => `${PREFIX}${id}`

/** Kept in this tab, over reloads and signing in again, until it is saved or thrown away. */
export const keep = (id: string, draft: Draft): void => {
  try {
    if (isDirty(draft)) sessionStorage.setItem(key(id), JSON.stringify(draft))
    else sessionStorage.removeItem(key(id))
  } catch {
    // The browser has no room for it; leaving the page still asks.
  }
}

export const kept = (id: string): Draft | undefined => {
  const text = sessionStorage.getItem(key(id))
  return text === null ? undefined : JSON.parse(text)
}

const keptKeys = () => Object.keys(sessionStorage).filter(name => name.startsWith(PREFIX))

export const isAnyKept = (): boolean => keptKeys().length > 0

/** Whoever signs in next in this tab may be somebody else. */
export const forgetKept = (): void => {
  for (const name of keptKeys()) sessionStorage.removeItem(name)
}
