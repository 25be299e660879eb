import { Link, useParams } from '@tanstack/react-router'
import { FileText, RefreshCw, X } from 'lucide-react'
import { useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import type { GenerationDetail } from '../../../content/generations/schema'
import { ApiError } from '../api/client'
import { useRecord } from '../api/queries'
import { EventsAbout } from '../events/about'
import { Button, buttonClass } from '../kit/controls/button'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { CancelGeneration } from './cancel'
import { Details } from './details'
import { ApproveOutline } from './outline'
import { isOpen } from './progress'
import { mayRetry, RetryGeneration } from './retry'
import { StartGeneration } from './start'
import { Steps } from './steps'
import { TextSoFar } from './text'

export const Page = () => {
  const mode = useMode()
  const mayChange = useMayChange()
  const { id = '' } = useParams({ strict: false })
  const [dialog, setDialog] = useState<'cancel' | 'again'>()
  const {
    data: generation,
    error,
    refetch,
  } = useRecord<GenerationDetail>('generations', `/generations/${id}`)
  const rewritten = generation && rewrittenBy(generation)
  const done = () => setDialog(undefined)
  return (
    <Frame
      title={generation?.keyword ?? 'Generation'}
      back={
        <Back to="/$mode/generations" params={{ mode }}>
          Generations
        </Back>
      }
      actions={
        generation && (
          <>
            {mayChange && isOpen(generation) && (
              <Button onClick={() => setDialog('cancel')}>
                <X aria-hidden className="size-4" />
                Cancel
              </Button>
            )}
            {mayChange && !isOpen(generation) && generation.keyword_id !== null && (
              <Button onClick={() => setDialog('again')}>
                <RefreshCw aria-hidden className="size-4" />
                Generate again
              </Button>
            )}
            {mayChange && mayRetry(generation) && <RetryGeneration of={generation} />}
            {generation.article_id !== null && <OpenArticle id={generation.article_id} />}
          </>
        )
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {generation === undefined && error === null && <Skeleton />}
      {generation && (
        <div className="space-y-4">
          <ApproveOutline key={generation.id} of={generation} mayChange={mayChange} />
          <Details of={generation} />
          {generation.steps.length > 0 && (
            <div className="grid items-start gap-4 lg:grid-cols-2">
              <Steps of={generation} />
              <TextSoFar of={generation} />
            </div>
          )}
          <EventsAbout id={id} />
        </div>
      )}
      {generation && dialog === 'cancel' && <CancelGeneration of={generation} onClose={done} />}
      {generation && generation.keyword_id !== null && dialog === 'again' && (
        <StartGeneration
          keyword={{
            id: generation.keyword_id,
            keyword: generation.keyword,
            project_id: generation.project_id,
          }}
          brief={{ ...generation, outline: requestedOutline(generation) }}
          {...(rewritten !== undefined && { article: rewritten })}
          onClose={done}
        />
      )}
    </Frame>
  )
}

const OpenArticle = ({ id }: { id: string }) => {
  const mode = useMode()
  const { error } = useRecord<Article>('articles', `/articles/${id}`)
  if (error instanceof ApiError && error.status === 404)
    return <span className="text-sm text-muted">The article was deleted.</span>
  return (
    <Link to="/$mode/articles/$id" params={{ mode, id }} className={buttonClass('primary')}>
      <FileText aria-hidden className="size-4" />
      Open article
    </Link>
  )
}

/** The article that a generation was to write anew. One that it has created is not. */
const rewrittenBy = ({ status, article_id, project_id, keyword_id }: GenerationDetail) =>
  status === 'COMPLETED' || article_id === null
    ? undefined
    : { id: article_id, project_id, keyword_id }

/** The headings of its brief. Those that a provider has written are written again. */
const requestedOutline = ({ outline, steps }: GenerationDetail): string[] => {
  const isWritten = steps.some(
    ({ step, prompt_version }) => step === 'outline' && prompt_version !== null,
  )
  return isWritten ? [] : (outline ?? [])
}
