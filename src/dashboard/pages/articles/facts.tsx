import { Link } from '@tanstack/react-router'
import type { Article } from '../../../content/articles/schema'
import type { Keyword } from '../../../content/keywords/schema'
import { useRecord } from '../api/queries'
import { Facts } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { ProjectLink } from '../project-picker/link'

/** What an article has beside its text, for users who do not see it in the editor. */
export const ArticleFacts = ({ of: article }: { of: Article }) => (
  <Facts
    of={[
      ['Project', <ProjectLink key="project" id={article.project_id} />],
      [
        'Keyword',
        article.keyword_id === null ? NONE : <KeywordLink key="keyword" id={article.keyword_id} />,
      ],
      ['Slug', article.slug],
      ['Meta title', article.meta_title ?? NONE],
      ['Meta description', article.meta_description ?? NONE],
    ]}
  />
)

const NONE = <span className="text-faint">none</span>

const KeywordLink = ({ id }: { id: string }) => {
  const mode = useMode()
  const { data } = useRecord<Keyword>('keywords', `/keywords/${id}`)
  return (
    <Link to="/$mode/keywords/$id" params={{ mode, id }} className={INLINE_LINK}>
      <TwoLines>{data?.keyword ?? 'Keyword'}</TwoLines>
    </Link>
  )
}
