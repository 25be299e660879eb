import type { Article } from '../../../content/articles/schema'
import { findCopies, keepCopy, removeCopies, removeCopy } from './crash-copy'

/** The fields of an article that the editor changes. */
export type Fields = Pick<Article, (typeof NAMES)[number]>

/**
 * The edited fields, and the saved ones that they are based on. `of`: the rest of the article as it was when the first of
 * them was edited; drafts that an older version stored have none.
 */
export type Draft = {
  base: Fields
  fields: Fields
  of?: Pick<Article, 'id' | 'project_id' | 'test_mode' | 'status'>
}

const NAMES = ['title', 'slug', 'body', 'meta_title', 'meta_description', 'keyword_id'] as const

/** As a browser shows them: with its own line breaks, so that a text that was typed back is unchanged. */
const fieldsOf = (article: Article): Fields => ({
  title: withBrowserBreaks(article.title),
  slug: article.slug,
  body: withBrowserBreaks(article.body),
  meta_title: article.meta_title && withBrowserBreaks(article.meta_title),
  meta_description: article.meta_description && withBrowserBreaks(article.meta_description),
  keyword_id: article.keyword_id,
})

const withBrowserBreaks = (text: string) => text.replace(/\r\n?/g, '\n')

export const startDraft = (article: Article): Draft => ({
  base: fieldsOf(article),
  fields: fieldsOf(article),
  of: {
    id: article.id,
    project_id: article.project_id,
    test_mode: article.test_mode,
    status: article.status,
  },
})

/** The changed fields: the body of a PATCH. */
export const unsavedFields = ({ base, fields }: Draft): Partial<Fields> =>
  Object.fromEntries(
    NAMES.filter(name => fields[name] !== base[name]).map(name => [name, fields[name]]),
  )

/** Whether the article has every change of the draft. */
export const isSavedIn = (article: Article, { base, fields }: Draft): boolean => {
  const saved = fieldsOf(article)
  return NAMES.every(name => fields[name] === base[name] || fields[name] === saved[name])
}

export const isDirty = (draft: Draft): boolean => Object.keys(unsavedFields(draft)).length > 0

/** Applies a newer version of the article: unchanged fields take its values, edited ones stay. */
export const rebaseDraft = ({ base, fields, of }: Draft, article: Article): Draft => {
  const next = startDraft(article)
  for (const name of NAMES)
    if (fields[name] !== base[name] && fields[name] !== next.base[name]) {
      Object.assign(next.base, { [name]: base[name] })
      Object.assign(next.fields, { [name]: fields[name] })
    }
  if (of === undefined || !isDirty(next)) return next
  // The user has seen it as a draft.
  return { ...next, of: article.status === 'DRAFT' ? { ...of, status: 'DRAFT' } : of }
}

/** Whether a save would make the changes public, unlike when they were begun. */
export const isPublishedMeanwhile = (draft: Draft, article: Article): boolean =>
  isDirty(draft) && draft.of?.status === 'DRAFT' && article.status === 'PUBLISHED'

/** The draft after `sent` was saved. What was typed since then stays, unsaved. */
export const draftAfterSave = ({ fields }: Draft, sent: Fields, article: Article): Draft => {
  const next = startDraft(article)
  for (const name of NAMES)
    if (fields[name] !== sent[name]) Object.assign(next.fields, { [name]: fields[name] })
  return next
}

/** The fields that were edited here and have since changed elsewhere: saving would overwrite them. */
export const conflictingFields = ({ base, fields }: Draft, article: Article): string[] => {
  const saved = fieldsOf(article)
  return NAMES.filter(
    name =>
      fields[name] !== base[name] && saved[name] !== base[name] && saved[name] !== fields[name],
  )
}

const PREFIX = 'arden.draft.'
/** Whose drafts they are. */
const USER = 'arden.drafts-of'
const key = (id: string) => `${PREFIX}${id}`

/** Stores a draft in this tab, until it is saved or discarded. It survives reloads, a new sign-in and a crash. */
export const storeDraft = (id: string, draft: Draft): void => {
  if (!isDirty(draft)) {
    removeStoredDraft(id)
    return
  }
  try {
    keep(id, JSON.stringify(draft))
  } catch {
    // The storage is full. Leaving the page still asks for confirmation.
  }
}

/** In this tab, with a copy for a crash. @throws when the storage is full. */
const keep = (id: string, draft: string) => {
  sessionStorage.setItem(key(id), draft)
  keepCopy(id, userOfTab(), draft)
}

const userOfTab = () => sessionStorage.getItem(USER) ?? ''

/** Takes over what a tab that crashed had, before the article is shown. A draft of this tab comes first. */
export const restoreCrashedDraft = async (id: string): Promise<void> => {
  const copies = await findCopies(id, userOfTab())
  const own = sessionStorage.getItem(key(id))
  const copy = copies.find(({ draft }) => own === null || draft === own)
  if (copy === undefined) return
  try {
    keep(id, copy.draft)
    copy.remove()
  } catch {
    // The storage is full: it stays where it is.
  }
}

export const loadDraft = (id: string): Draft | undefined => {
  const text = sessionStorage.getItem(key(id))
  return text === null ? undefined : JSON.parse(text)
}

export const removeStoredDraft = (id: string): void => {
  sessionStorage.removeItem(key(id))
  removeCopy(id)
}

const storedKeys = () => Object.keys(sessionStorage).filter(name => name.startsWith(PREFIX))

export const hasStoredDrafts = (): boolean => storedKeys().length > 0

/** Removes the drafts of another user, whose session ended in this tab. */
export const keepDraftsOf = (userId: string): void => {
  // Each navigation calls this: the copies are read once in a tab.
  if (userOfTab() === userId) return
  removeCopies(userId)
  removeOfTab()
  sessionStorage.setItem(USER, userId)
}

/** On sign-out: another user may sign in in this tab. */
export const removeStoredDrafts = (): void => {
  removeCopies()
  removeOfTab()
}

const removeOfTab = () => {
  for (const name of [...storedKeys(), USER]) sessionStorage.removeItem(name)
}
