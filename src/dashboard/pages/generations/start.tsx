import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import type { BriefDefaults } from '../../../content/generations/brief'
import type { Generation } from '../../../content/generations/schema'
import type { Keyword } from '../../../content/keywords/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextArea } from '../kit/forms/form'
import { useMode } from '../mode'
import { ChooseProject } from '../project-picker/select'
import { BriefFields, toBrief, toBriefText, useBriefDefaults } from './brief'
import { ChooseKeyword } from './choose-keyword'
import { toOutline } from './outline'
import { Quota } from './quota'
import { RequiredChecks } from './required-checks'
import { ReviewOutline } from './review-outline'

type Props = {
  /** The keyword to write about; selected in the dialog when absent. */
  keyword?: Pick<Keyword, 'id' | 'keyword' | 'project_id'>
  /** The article to write anew; a new one is created when absent. */
  article?: Pick<Article, 'id' | 'project_id' | 'keyword_id'>
  /** What an earlier generation requested. */
  brief?: Partial<Pick<Generation, keyof BriefDefaults | 'required_checks' | 'review_outline'>> & {
    outline?: string[]
  }
  onClose: () => void
}

/** Starts a generation and opens its page. */
export const StartGeneration = ({ keyword, article, brief = {}, onClose }: Props) => {
  const mode = useMode()
  const navigate = useNavigate()
  const [projectId, setProjectId] = useState(article?.project_id ?? '')
  const given = keyword?.id ?? article?.keyword_id ?? ''
  const [keywordId, setKeywordId] = useState(given)
  const [text, setText] = useState(toBriefText(brief))
  const [headings, setHeadings] = useState((brief.outline ?? []).join('\n'))
  const [checks, setChecks] = useState(brief.required_checks ?? [])
  const [isReviewed, setIsReviewed] = useState(brief.review_outline ?? false)
  const defaults = useBriefDefaults(keyword?.project_id ?? projectId)
  const start = useChange<Generation>('generations', 'usage')
  const send = () =>
    start.mutate(
      {
        method: 'POST',
        path: '/v1/generations',
        body: {
          keyword_id: keywordId,
          ...(article !== undefined && { article_id: article.id }),
          ...toBrief(text),
          ...(checks.length > 0 && { required_checks: checks }),
          ...(headings.trim() !== '' && { outline: toOutline(headings) }),
          ...(isReviewed && { review_outline: true }),
        },
      },
      {
        onSuccess: ({ id, keyword }) => {
          onClose()
          toast({ title: `Generating an article about ${keyword}` })
          navigate({ to: '/$mode/generations/$id', params: { mode, id } })
        },
      },
    )
  return (
    <FormDialog
      title={
        article !== undefined
          ? 'Write the article anew'
          : keyword === undefined
            ? 'Generate article'
            : `Generate article about ${keyword.keyword}`
      }
      description={
        <>
          {article !== undefined && ANEW} <Quota />
        </>
      }
      action={article === undefined ? 'Generate' : 'Write anew'}
      disabled={keywordId === ''}
      change={start}
      onSubmit={send}
      onClose={onClose}
    >
      {given === '' && article === undefined && (
        <ChooseProject
          value={projectId}
          onChange={id => {
            setProjectId(id)
            setKeywordId('')
          }}
        />
      )}
      {given === '' && projectId !== '' && (
        <ChooseKeyword projectId={projectId} value={keywordId} onChange={setKeywordId} />
      )}
      <BriefFields value={text} onChange={setText} defaults={defaults} />
      <Field
        label="Outline"
        name="outline"
        hint="Headings, one on each line. Empty, and the model writes them."
      >
        <TextArea rows={3} value={headings} onChange={event => setHeadings(event.target.value)} />
      </Field>
      <RequiredChecks value={checks} onChange={setChecks} />
      <ReviewOutline
        value={isReviewed}
        onChange={setIsReviewed}
        hint="The article is written when you have approved its headings."
      />
    </FormDialog>
  )
}

const ANEW =
  'The article keeps its address and its status, and the text that it has now stays in its history. A published article shows the new text as soon as it is written.'
