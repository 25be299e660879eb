import { useState } from 'react'
import type { GenerationDetail } from '../../../content/generations/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextArea } from '../kit/forms/form'

type Props = { projectId: string; ids: string[]; onClose: () => void; onDone: () => void }

/** Queues an article for each of the selected keywords. */
export const GenerateSelected = ({ projectId, ids, onClose, onDone }: Props) => {
  const [instructions, setInstructions] = useState('')
  const generate = useChange<GenerationDetail[]>('generations')
  const articles = `${ids.length} ${ids.length === 1 ? 'article' : 'articles'}`
  const send = () =>
    generate.mutate(
      {
        method: 'POST',
        path: `/v1/projects/${projectId}/generations`,
        body: { keyword_ids: ids, ...(instructions !== '' && { instructions }) },
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
      description="One draft for each selected keyword. Where your plan does not suffice for all, none is started."
      action="Generate"
      change={generate}
      onSubmit={send}
      onClose={onClose}
    >
      <Field label="Instructions" name="instructions" hint="For all of them. Optional.">
        <TextArea
          rows={4}
          value={instructions}
          onChange={event => setInstructions(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}
