import { useEffect, useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import {
  conflictingFields,
  draftAfterSave,
  type Fields,
  isDirty,
  loadDraft,
  rebaseDraft,
  startDraft,
  storeDraft,
} from './draft'

/** The draft of an article, rebased whenever the article changes on the server. */
export const useDraft = (article: Article) => {
  const [state, setState] = useState(() => {
    const stored = loadDraft(article.id)
    const draft = stored === undefined ? startDraft(article) : rebaseDraft(stored, article)
    return { draft, seen: article, isRestored: isDirty(draft) }
  })
  if (state.seen !== article)
    setState({ ...state, seen: article, draft: rebaseDraft(state.draft, article) })
  const { draft, isRestored } = state
  useEffect(() => storeDraft(article.id, draft), [article.id, draft])
  return {
    current: draft,
    fields: draft.fields,
    isDirty: isDirty(draft),
    /** The draft was stored by an earlier visit. */
    isRestored: isRestored && isDirty(draft),
    conflicts: conflictingFields(draft, article),
    set: (changed: Partial<Fields>) =>
      setState(now => ({
        ...now,
        draft: { ...now.draft, fields: { ...now.draft.fields, ...changed } },
      })),
    // `seen` stays: until the page has the saved article, the draft must not be rebased on the one before, which would
    // replace the text twice, and move the cursor to its end.
    onSaved: (sent: Fields, saved: Article) =>
      setState(now => ({
        ...now,
        draft: draftAfterSave(now.draft, sent, saved),
        isRestored: false,
      })),
    discard: () => setState({ draft: startDraft(article), seen: article, isRestored: false }),
  }
}
