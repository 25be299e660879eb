import { Link } from '@tanstack/react-router'
import type { Article } from '../../../content/articles/schema'
import type { Generation } from '../../../content/generations/schema'
import { useList } from '../api/queries'
import { isOpen } from '../generations/progress'
import { buttonClass } from '../kit/controls/button'
import { Notice } from '../kit/layout/notice'
import { useMode } from '../mode'

/** The newest generations of a project that are read. One that is older than these has ended. */
const NEWEST = 50

/** Says that a generation writes the article anew: it never replaces an edit, so it fails when one is saved. */
export const WrittenAnew = ({ of: article }: { of: Article }) => {
  const mode = useMode()
  const { rows } = useList<Generation>('generations', '/generations', {
    project_id: article.project_id,
    limit: NEWEST,
  })
  const generation = rows?.find(one => one.article_id === article.id && isOpen(one))
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
