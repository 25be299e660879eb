import { useEffect, useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import { begin, conflicts, type Fields, follow, isDirty, keep, kept, saved, unsaved } from './draft'

/** What is being written, over what the server has: see draft.ts. */
export const useDraft = (article: Article) => {
  const [state, setState] = useState(() => {
    const earlier = kept(article.id)
    const draft = earlier === undefined ? begin(article) : follow(earlier, article)
    return { draft, seen: article, isRestored: isDirty(draft) }
  })
  if (state.seen !== article)
    setState({ ...state, seen: article, draft: follow(state.draft, article) })
  const { draft, isRestored } = state
  useEffect(() => keep(article.id, draft), [article.id, draft])
  return {
    fields: draft.fields,
    unsaved: unsaved(draft),
    isDirty: isDirty(draft),
    /** Something was typed in an earlier visit. */
    isRestored: isRestored && isDirty(draft),
    conflicts: conflicts(draft, article),
    set: (changed: Partial<Fields>) =>
      setState(now => ({
        ...now,
        draft: { ...now.draft, fields: { ...now.draft.fields, ...changed } },
      })),
    onSaved: (sent: Fields, answer: Article) =>
      setState(now => ({ draft: saved(now.draft, sent, answer), seen: answer, isRestored: false })),
    discard: () => setState({ draft: begin(article), seen: article, isRestored: false }),
  }
}
