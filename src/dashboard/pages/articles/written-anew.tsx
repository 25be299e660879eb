import { Link } from '@tanstack/react-router'
import type { Article } from '../../../content/articles/schema'
import type { Generation } from '../../../content/generations/schema'
import { useList } from '../api/queries'
import { buttonClass } from '../kit/controls/button'
import { Notice } from '../kit/layout/notice'
import { useMode } from '../mode'

/** Says that a generation writes the article anew: it never replaces an edit, so it fails when one is saved. */
export const WrittenAnew = ({ of: article }: { of: Article }) => {
  const mode = useMode()
  // An outline can wait for its approval for days, behind many newer generations.
  const open = [
    useOpen(article, 'QUEUED'),
    useOpen(article, 'RUNNING'),
    useOpen(article, 'AWAITING_APPROVAL'),
  ]
  const generation = open.flat().find(one => one.article_id === article.id)
  if (generation === undefined) return null
  return (
    <Notice>
      <p>
        This article is being written anew. A change that you save now stays, and makes that
        generation fail.
      </p>
      <Link
        to="/$mode/generations/$id"
        params={{ mode, id: generation.id }}
        className={buttonClass()}
      >
        Open the generation
      </Link>
    </Notice>
  )
}

const useOpen = ({ project_id }: Article, status: Generation['status']) =>
  useList<Generation>('generations', '/generations', { project_id, status, limit: 100 }).rows ?? []
