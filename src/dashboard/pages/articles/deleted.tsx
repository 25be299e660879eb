import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Mode } from '../../../caller'
import type { Article } from '../../../content/articles/schema'
import { ApiError, isNotFound } from '../api/client'
import { useChange, useRecord } from '../api/queries'
import { type Draft, type Fields, loadDraft, removeStoredDraft } from '../drafts/draft'
import { Button } from '../kit/controls/button'
import { toast, toastError } from '../kit/controls/toast'
import { useLeaveGuard } from '../kit/dialogs/leave-guard'
import { Notice } from '../kit/layout/notice'
import { Card, Frame } from '../kit/layout/page'
import { useMode } from '../mode'
import { TEXTS, TextToCopy } from './unsaved-text'

/** What is still known of an article that was deleted. */
export type Left = NonNullable<Draft['of']> & Fields

/** Of an article that this page has never read, what an unsaved draft in this tab has of it; undefined without one. */
export const leftInDraft = (id: string, mode: Mode): Left | undefined => {
  const { of, fields } = loadDraft(id) ?? {}
  return of?.test_mode === (mode === 'test') && fields ? { ...of, ...fields } : undefined
}

/** An article that was deleted elsewhere, with the text that this tab still has, unsaved changes included. */
export const DeletedArticle = ({ of: article, back }: { of: Left; back: ReactNode }) => {
  const mode = useMode()
  const navigate = useNavigate()
  const create = useChange<Article>('articles')
  const draft = loadDraft(article.id)
  const fields = draft?.fields ?? article
  const { title, body, slug, meta_title, meta_description, keyword_id } = fields
  const project = useRecord('projects', `/projects/${article.project_id}`)
  const leave = useLeaveGuard(
    draft !== undefined,
    'The article was deleted, and only this page still has your unsaved changes. Copy the text, or save it as a new draft, to keep them.',
  )
  // Another user can delete it at any time.
  const hasProject =
    !isNotFound(project.error) && !refusedMembers(create.error).includes('project_id')
  const createAgain = (addressing: Addressing) =>
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
          ...addressing,
        },
      },
      {
        onSuccess: created => {
          leave.allow()
          removeStoredDraft(article.id)
          if (created.slug !== slug || created.keyword_id !== keyword_id)
            toast({
              title: 'Saved as a new draft',
              text: 'Check its slug and its keyword: what it had is no longer accepted.',
            })
          navigate({ to: '/$mode/articles/$id', params: { mode, id: created.id } })
        },
        onError: error => {
          const refused = refusedMembers(error)
          if (refused.includes('project_id')) return
          // The keyword can be deleted as well, and an unsaved slug can be wrong. The text is worth more.
          const rest = Object.entries(addressing).filter(([name]) => !refused.includes(name))
          if (rest.length < Object.keys(addressing).length) createAgain(Object.fromEntries(rest))
          else toastError('Draft not created', error)
        },
      },
    )
  const discard = () => {
    leave.allow()
    removeStoredDraft(article.id)
    navigate({ to: '/$mode/articles', params: { mode } })
  }
  return (
    <Frame title={title || 'Untitled'} back={back}>
      <Notice>
        <p>
          {hasProject
            ? 'This article was deleted. Copy its text, or save it as a new draft.'
            : 'This article was deleted with its project. Copy its text to keep it.'}
        </p>
        <div className="flex flex-wrap gap-2">
          {draft !== undefined && <Button onClick={discard}>Discard changes</Button>}
          {hasProject && (
            <Button busy={create.isPending} onClick={() => createAgain({ slug, keyword_id })}>
              Save as new draft
            </Button>
          )}
        </div>
      </Notice>
      <Card className="space-y-4 p-4">
        {TEXTS.map(([name, label]) => {
          const text = fields[name]
          return text ? <TextToCopy key={name} name={name} label={label} text={text} /> : null
        })}
      </Card>
      {leave.question}
    </Frame>
  )
}

type Addressing = Partial<Pick<Article, 'slug' | 'keyword_id'>>

const refusedMembers = (error: Error | null) =>
  error instanceof ApiError ? error.details.map(({ path }) => path) : []
