import { Link } from '@tanstack/react-router'
import type { Project } from '../../../content/projects/schema'
import { useRecord } from '../api/queries'
import { ASIDE } from '../kit/link'
import { useMode } from '../mode'

/** The name of a project, which leads to it. */
export const ProjectLink = ({ id }: { id: string }) => {
  const mode = useMode()
  const { data } = useRecord<Project>('projects', `/projects/${id}`)
  return (
    <Link to="/$mode/projects/$id" params={{ mode, id }} className={ASIDE}>
      {data?.name ?? 'Its project'}
    </Link>
  )
}
