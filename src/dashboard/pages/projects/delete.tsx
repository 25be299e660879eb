import type { Project } from '../../../content/projects/schema'
import { Delete } from '../kit/dialogs/delete'

type Props = { of: Project; onClose: () => void; onDeleted: () => void }

export const DeleteProject = ({ of: project, ...props }: Props) => (
  <Delete
    name={project.name}
    path={`/projects/${project.id}`}
    changes={['projects', 'keywords', 'articles', 'generations']}
    {...props}
  >
    <p>
      Its keywords with their rankings and all its articles are deleted with it, published ones
      included; webhooks are told of each article. Generations that run are cancelled.
    </p>
    <p>This cannot be undone.</p>
  </Delete>
)
