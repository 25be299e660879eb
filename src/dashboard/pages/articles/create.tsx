import { useState } from 'react'
import type { Article } from '../../../content/records'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Field, Form, TextInput } from '../kit/form'
import { ChooseProject } from '../projects/choose'
import { useMode } from '../shell/mode'

type Props = {
  project: string | undefined
  onClose: () => void
  onMade: (article: Article) => void
}

/** A title is enough to begin with; the rest is written on the article's page. */
export const CreateArticle = ({ project = '', onClose, onMade }: Props) => {
  const mode = useMode()
  const [projectId, setProjectId] = useState(project)
  const [title, setTitle] = useState('')
  const create = useChange<Article>('articles')
  const send = () =>
    create.mutate(
      { method: 'POST', path: '/v1/articles', body: { project_id: projectId, title } },
      { onSuccess: onMade },
    )
  return (
    <Dialog open sticky title={`Create a ${mode} article`} onClose={onClose}>
      <Form
        error={create.error}
        onSubmit={send}
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={create.isPending}>
              Create draft
            </Button>
          </Actions>
        }
      >
        <ChooseProject value={projectId} onChange={setProjectId} />
        <Field label="Title" name="title">
          <TextInput required value={title} onValueChange={setTitle} />
        </Field>
      </Form>
    </Dialog>
  )
}
