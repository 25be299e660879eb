import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { GenerationDetail } from '../../../content/generations/schema'
import { GENERATIONS_MAX } from '../../../content/keywords/limits'
import { ApiError } from '../api/client'
import { useChange } from '../api/queries'
import { BriefFields, toBrief, toBriefText, useBriefDefaults } from '../generations/brief'
import { Quota } from '../generations/quota'
import { RequiredChecks } from '../generations/required-checks'
import { ReviewOutline } from '../generations/review-outline'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useMode } from '../mode'

type Props = { projectId: string; ids: string[]; onClose: () => void }

/** Queues an article for each of the selected keywords. */
export const GenerateSelected = ({ projectId, ids, onClose }: Props) => {
  const [text, setText] = useState(toBriefText({}))
  const [checks, setChecks] = useState<GenerationDetail['required_checks']>([])
  const [isReviewed, setIsReviewed] = useState(false)
  const mode = useMode()
  const navigate = useNavigate()
  const generate = useChange<GenerationDetail[]>('generations', 'usage')
  // One error for one failure: the form moves the focus when it gets another.
  const error = useMemo(() => explainDeleted(generate.error), [generate.error])
  const articles = `${ids.length} ${ids.length === 1 ? 'article' : 'articles'}`
  const send = () =>
    generate.mutate(
      {
        method: 'POST',
        path: `/v1/projects/${projectId}/generations`,
        body: {
          keyword_ids: ids,
          ...toBrief(text),
          ...(checks.length > 0 && { required_checks: checks }),
          ...(isReviewed && { review_outline: true }),
        },
      },
      {
        onSuccess: () => {
          toast({ title: `Generating ${articles}` })
          onClose()
          navigate({ to: '/$mode/generations', params: { mode }, search: { project: projectId } })
        },
      },
    )
  return (
    <FormDialog
      title={`Generate ${articles}?`}
      description={
        ids.length > GENERATIONS_MAX ? (
          `At most ${GENERATIONS_MAX} articles are generated at a time. Cancel, and select fewer keywords.`
        ) : (
          <>
            One draft for each selected keyword, all with this brief. Where your plan does not
            suffice for all, none is started. <Quota />
          </>
        )
      }
      action="Generate"
      disabled={ids.length > GENERATIONS_MAX}
      change={{ ...generate, error }}
      onSubmit={send}
      onClose={onClose}
    >
      <BriefFields value={text} onChange={setText} defaults={useBriefDefaults(projectId)} />
      <RequiredChecks value={checks} onChange={setChecks} />
      <ReviewOutline
        value={isReviewed}
        onChange={setIsReviewed}
        hint="Each article is written when you have approved its headings, on the page of its generation."
      />
    </FormDialog>
  )
}

const explainDeleted = (error: Error | null): Error | null =>
  error instanceof ApiError && error.details.some(({ path }) => path.startsWith('keyword_ids.'))
    ? new Error('A selected keyword was deleted meanwhile. Cancel, and select keywords again.')
    : error
