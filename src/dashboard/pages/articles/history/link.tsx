import { Link } from '@tanstack/react-router'
import type { Article } from '../../../../content/articles/schema'
import { INLINE_LINK } from '../../kit/link'
import { useMode } from '../../mode'

/** The number of an article's version, which leads to the earlier ones. */
export const HistoryLink = ({ of: { id, version } }: { of: Article }) => {
  const mode = useMode()
  return (
    <Link to="/$mode/articles/$id/history" params={{ mode, id }} className={INLINE_LINK}>
      Version {version}
    </Link>
  )
}
