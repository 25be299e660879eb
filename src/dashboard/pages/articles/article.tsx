import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import { isNotFound } from '../api/client'
import { useRecord } from '../api/queries'
import { EventsAbout } from '../events/about'
import { Status } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useLanguage } from '../project-picker/language'
import { useMayChange } from '../session/me'
import { ArticleChecks } from './checks'
import { DeletedArticle, type Left, leftInDraft } from './deleted'
import { Editor } from './editor'
import { ExportMenu } from './export-menu'
import { ArticleFacts } from './facts'
import { HistoryLink } from './history/link'
import { Preview } from './preview'
import { PublicationTimes } from './times'
import { UnsavedText } from './unsaved-text'

export const Page = () => {
  const { id = '' } = useParams({ strict: false })
  const mode = useMode()
  return <OneArticle key={`${mode}/${id}`} id={id} />
}

const OneArticle = ({ id }: { id: string }) => {
  const mode = useMode()
  const mayChange = useMayChange()
  const [isDeleted, setIsDeleted] = useState(false)
  // Kept, because reading it again would take the page away meanwhile.
  const [left, setLeft] = useState<Left>()
  const {
    data: article,
    error,
    refetch,
  } = useRecord<Article>('articles', `/articles/${id}`, !isDeleted && !(mayChange && left))
  const lang = useLanguage(article?.project_id)
  const back = (
    <Back to="/$mode/articles" params={{ mode }}>
      Articles
    </Back>
  )
  const wasDeleted = isNotFound(error)
  const known = wasDeleted ? (article ?? leftInDraft(id, mode)) : undefined
  if (left === undefined && known !== undefined && mayChange) setLeft(known)
  if (left !== undefined && mayChange) return <DeletedArticle of={left} back={back} />
  if (article !== undefined && mayChange)
    return (
      <Editor article={article} back={back} error={error} onDeleted={() => setIsDeleted(true)} />
    )
  return (
    <Frame
      title={article?.title ?? 'Article'}
      back={back}
      about={
        article && (
          <span className="mt-1 flex flex-wrap items-center gap-2">
            <Status of={article.status} />
            <PublicationTimes of={article} />
            <HistoryLink of={article} />
            <Code>{article.id}</Code>
          </span>
        )
      }
      actions={article && <ExportMenu label="Export" path={`/articles/${id}/export`} />}
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {article === undefined && error === null && <Skeleton />}
      {article === undefined && wasDeleted && !mayChange && <UnsavedText of={id} />}
      {article && (
        <div className="space-y-4">
          <UnsavedText of={id} />
          <Card className="p-4">
            <ArticleFacts of={article} />
          </Card>
          <Card className="p-5">
            <div className="max-w-3xl">
              <Preview of={article.body} lang={lang} />
            </div>
          </Card>
          <div className="space-y-4 print:hidden">
            <ArticleChecks of={article} />
            <EventsAbout id={id} />
          </div>
        </div>
      )}
    </Frame>
  )
}
