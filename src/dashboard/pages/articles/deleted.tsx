import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Article } from '../../../content/articles/schema'
import { useChange } from '../api/queries'
import { loadDraft, removeStoredDraft } from '../drafts/draft'
import { Button } from '../kit/controls/button'
import { toastError } from '../kit/controls/toast'
import { Field, TextArea } from '../kit/forms/form'
import { Card, Frame } from '../kit/layout/page'
import { useMode } from '../mode'
import { Notice } from './notices'

/** An article that was deleted elsewhere, with the text that this page still has, unsaved changes included. */
export const DeletedArticle = ({ of: article, back }: { of: Article; back: ReactNode }) => {
  const mode = useMode()
  const navigate = useNavigate()
  const create = useChange<Article>('articles')
  const { title, body, meta_title, meta_description } = loadDraft(article.id)?.fields ?? article
  const createAgain = () =>
    create.mutate(
      {
        method: 'POST',
        path: '/v1/articles',
        body: {
          project_id: article.project_id,
          title: title || 'Untitled',
          body,
          meta_title,
          meta_description,
        },
      },
      {
        onSuccess: ({ id }) => {
          removeStoredDraft(article.id)
          navigate({ to: '/$mode/articles/$id', params: { mode, id } })
        },
        onError: error => toastError('Draft not created', error),
      },
    )
  return (
    <Frame title={title || 'Untitled'} back={back}>
      <Notice>
        <p>
          This article was deleted while you had it open. Copy its text, or save it as a new draft.
        </p>
        <Button busy={create.isPending} onClick={createAgain}>
          Save as new draft
        </Button>
      </Notice>
      <Card className="p-4">
        <Field label="Body (Markdown)" name="body">
          <TextArea
            readOnly
            value={body}
            className="h-[55vh] min-h-72 resize-none py-3 font-mono text-sm leading-6"
          />
        </Field>
      </Card>
    </Frame>
  )
}
