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
      Its keywords, their rankings and all its articles are deleted, published ones included. An
      event is sent for each article. Running generations are cancelled.
    </p>
    <p>This cannot be undone.</p>
  </Delete>
)
