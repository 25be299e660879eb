import { Link } from '@tanstack/react-router'
import type { Project } from '../../../content/projects/schema'
import { useRecord } from '../api/queries'
import { TwoLines } from '../kit/layout/two-lines'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'

/** The name of a project as a link. */
export const ProjectLink = ({ id }: { id: string }) => {
  const mode = useMode()
  const { data } = useRecord<Project>('projects', `/projects/${id}`)
  return (
    <Link to="/$mode/projects/$id" params={{ mode, id }} className={INLINE_LINK}>
      <TwoLines>{data?.name ?? 'Project'}</TwoLines>
    </Link>
  )
}
