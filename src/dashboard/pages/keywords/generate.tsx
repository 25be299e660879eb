import { useState } from 'react'
import type { GenerationDetail } from '../../../content/generations/schema'
import { useChange } from '../api/queries'
import { BriefFields, toBrief, toBriefText } from '../generations/brief'
import { RequiredChecks } from '../generations/required-checks'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'

type Props = { projectId: string; ids: string[]; onClose: () => void; onDone: () => void }

/** Queues an article for each of the selected keywords. */
export const GenerateSelected = ({ projectId, ids, onClose, onDone }: Props) => {
  const [text, setText] = useState(toBriefText({}))
  const [checks, setChecks] = useState<GenerationDetail['required_checks']>([])
  const generate = useChange<GenerationDetail[]>('generations')
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
        },
      },
      {
        onSuccess: () => {
          toast({ title: `Generating ${articles}` })
          onDone()
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title={`Generate ${articles}?`}
      description="One draft for each selected keyword, all with this brief. Where your plan does not suffice for all, none is started."
      action="Generate"
      change={generate}
      onSubmit={send}
      onClose={onClose}
    >
      <BriefFields value={text} onChange={setText} />
      <RequiredChecks value={checks} onChange={setChecks} />
    </FormDialog>
  )
}
