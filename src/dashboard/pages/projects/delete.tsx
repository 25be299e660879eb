import type { Project } from '../../../content/records'
import { useChange } from '../api/queries'
import { Confirm } from '../kit/confirm'
import { toast } from '../kit/toast'

type Props = { of: Project; onClose: () => void; onDeleted: () => void }

export const DeleteProject = ({ of: project, onClose, onDeleted }: Props) => {
  const remove = useChange('projects', 'keywords', 'articles', 'generations')
  return (
    <Confirm
      open
      title={`Delete ${project.name}?`}
      action="Delete for good"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/v1/projects/${project.id}` },
          {
            onSuccess: () => {
              onDeleted()
              toast({ title: `${project.name} is deleted` })
            },
          },
        )
      }
    >
      <p>
        Its keywords with their rankings and all its articles are deleted with it, published ones
        included; webhooks are told of each article. Generations that run are cancelled.
      </p>
      <p>This cannot be undone.</p>
    </Confirm>
  )
}
