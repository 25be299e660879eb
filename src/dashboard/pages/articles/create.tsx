import { useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextInput } from '../kit/forms/form'
import { useMode } from '../mode'
import { ChooseProject } from '../project-picker/select'

type Props = {
  project: string | undefined
  onClose: () => void
  onCreated: (article: Article) => void
}

/** A title is enough to start; the rest is written on the article's page. */
export const CreateArticle = ({ project = '', onClose, onCreated }: Props) => {
  const mode = useMode()
  const [projectId, setProjectId] = useState(project)
  const [title, setTitle] = useState('')
  const create = useChange<Article>('articles')
  const send = () =>
    create.mutate(
      { method: 'POST', path: '/v1/articles', body: { project_id: projectId, title } },
      { onSuccess: onCreated },
    )
  return (
    <FormDialog
      title={mode === 'test' ? 'Create a test article' : 'Create an article'}
      action="Create draft"
      disabled={projectId === ''}
      change={create}
      onSubmit={send}
      onClose={onClose}
    >
      <ChooseProject value={projectId} onChange={setProjectId} />
      <Field label="Title" name="title">
        <TextInput required value={title} onValueChange={setTitle} />
      </Field>
    </FormDialog>
  )
}
