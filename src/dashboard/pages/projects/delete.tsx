import type { Project } from '../../../content/projects/schema'
import type { ProjectSize } from '../../../content/projects/store'
import { useDashboard } from '../api/queries'
import { Delete } from '../kit/dialogs/delete'

type Props = { of: Project; onClose: () => void; onDeleted: () => void }

export const DeleteProject = ({ of: project, ...props }: Props) => {
  const { data: size } = useDashboard<ProjectSize>('projects', `/projects/${project.id}/size`)
  return (
    <Delete
      name={project.name}
      path={`/projects/${project.id}`}
      changes={['projects', 'keywords', 'articles', 'generations']}
      typeName
      {...props}
    >
      <p>
        {size === undefined ? (
          'This deletes its keywords, their rankings and all its articles, including published ones.'
        ) : (
          <>
            This deletes{' '}
            <strong className="font-semibold text-text">
              {count(size.articles, 'article')} ({count(size.published)} published),{' '}
              {count(size.keywords, 'keyword')} with rankings, and{' '}
              {count(size.generations, 'generation')}
            </strong>
            .
          </>
        )}{' '}
        Each article sends an article.deleted event, and running generations are cancelled.
      </p>
      <p>This cannot be undone.</p>
    </Delete>
  )
}

/** The server counts no more of a kind. */
const COUNTED_MAX = 10_000
const NUMBER = new Intl.NumberFormat('en')

const count = (n: number, noun?: string): string => {
  const number = n === COUNTED_MAX ? `${NUMBER.format(n)} or more` : NUMBER.format(n)
  return noun === undefined ? number : `${number} ${noun}${n === 1 ? '' : 's'}`
}
