import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { BriefDefaults } from '../../../content/generations/brief'
import type { Generation } from '../../../content/generations/schema'
import type { Keyword } from '../../../content/keywords/schema'
import type { Usage } from '../../../usage/schema'
import { useFullList } from '../api/full-list'
import { useChange, useRecord } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Choice, Field, Select, TextArea } from '../kit/forms/form'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { ChooseProject } from '../project-picker/select'
import { useHasProvider } from '../session/me'
import { BriefFields, toBrief, toBriefText } from './brief'
import { toOutline } from './outline'

type Props = {
  /** The keyword to write about; selected in the dialog when absent. */
  keyword?: Pick<Keyword, 'id' | 'keyword'>
  /** What an earlier generation requested. */
  brief?: Partial<Pick<Generation, keyof BriefDefaults>>
  onClose: () => void
}

/** Starts a generation and opens its page. */
export const StartGeneration = ({ keyword, brief = {}, onClose }: Props) => {
  const mode = useMode()
  const navigate = useNavigate()
  const [projectId, setProjectId] = useState('')
  const [keywordId, setKeywordId] = useState(keyword?.id ?? '')
  const [text, setText] = useState(toBriefText(brief))
  const [headings, setHeadings] = useState('')
  const [isReviewed, setIsReviewed] = useState(false)
  const start = useChange<Generation>('generations', 'usage')
  const send = () =>
    start.mutate(
      {
        method: 'POST',
        path: '/v1/generations',
        body: {
          keyword_id: keywordId,
          ...toBrief(text),
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
        keyword === undefined ? 'Generate article' : `Generate article about ${keyword.keyword}`
      }
      description={<Quota />}
      action="Generate"
      disabled={keywordId === ''}
      change={start}
      onSubmit={send}
      onClose={onClose}
    >
      {keyword === undefined && (
        <>
          <ChooseProject
            value={projectId}
            onChange={id => {
              setProjectId(id)
              setKeywordId('')
            }}
          />
          {projectId !== '' && (
            <ChooseKeyword projectId={projectId} value={keywordId} onChange={setKeywordId} />
          )}
        </>
      )}
      <BriefFields value={text} onChange={setText} />
      <Field
        label="Outline"
        name="outline"
        hint="Headings, one on each line. Empty, and the model writes them."
      >
        <TextArea rows={3} value={headings} onChange={event => setHeadings(event.target.value)} />
      </Field>
      <Choice
        type="checkbox"
        label="Wait for my approval of the outline"
        hint="The article is written when you have approved its headings."
        checked={isReviewed}
        onChange={event => setIsReviewed(event.target.checked)}
      />
    </FormDialog>
  )
}

type ChooseProps = { projectId: string; value: string; onChange: (id: string) => void }

const ChooseKeyword = ({ projectId, value, onChange }: ChooseProps) => {
  const keywords = useFullList<Keyword>('keywords', `/projects/${projectId}/keywords`)
  const isNone = keywords.rows?.length === 0
  return (
    <>
      <Field
        label="Keyword"
        name="keyword_id"
        {...(isNone && {
          hint: 'This project has no keywords yet. Add one on the project’s page.',
        })}
      >
        <Select
          required
          value={value}
          disabled={keywords.rows === undefined || isNone}
          onChange={event => onChange(event.target.value)}
        >
          <option value="">
            {keywords.isPending ? 'Loading…' : isNone ? 'No keywords' : 'Choose a keyword'}
          </option>
          {keywords.rows?.map(({ id, keyword, country, device }) => (
            <option key={id} value={id}>
              {keyword} ({country}, {device})
            </option>
          ))}
        </Select>
      </Field>
      <Problem error={keywords.error} onRetry={keywords.refetch} />
    </>
  )
}

/** How the generation counts towards the plan. */
const Quota = () => {
  const mode = useMode()
  const { data: usage } = useRecord<Usage>('usage', '/usage', mode === 'live')
  if (!useHasProvider(mode))
    return 'No language model is configured, so Arden creates an outline. It does not count towards your plan.'
  if (mode === 'test') return 'Free in test mode.'
  if (usage === undefined) return 'Counts towards your plan, unless it fails or is cancelled.'
  return `${usage.generations} of ${usage.quota.generations} generations used this month. Failed and cancelled generations do not count.`
}
