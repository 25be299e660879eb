import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { FileText, Sparkles } from 'lucide-react'
import { useState } from 'react'
import type { Project } from '../../../content/projects/schema'
import { readableDomain } from '../../../domain-name'
import { useRecord } from '../api/queries'
import { buttonClass } from '../kit/controls/button'
import { ChangeMenu } from '../kit/controls/change-menu'
import { Code } from '../kit/controls/copy'
import { Time } from '../kit/controls/time'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Card, Facts, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { DeleteProject } from './delete'
import { ProjectDialog } from './dialog'
import { Keywords } from './keywords'
import { describeLanguage } from './labels'
import { RankRuns } from './rank-runs'
import { Writing } from './writing'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const { id = '' } = useParams({ strict: false })
  const [dialog, setDialog] = useState<'change' | 'delete'>()
  // A deleted record is not read again: the response would be 404.
  const [isDeleted, setIsDeleted] = useState(false)
  const {
    data: project,
    error,
    isGone,
    refetch,
  } = useRecord<Project>('projects', `/projects/${id}`, !isDeleted)
  const done = () => setDialog(undefined)
  return (
    <Frame
      title={project?.name ?? 'Project'}
      back={
        <Back to="/$mode/projects" params={{ mode }}>
          Projects
        </Back>
      }
      actions={
        project &&
        !isGone && (
          <>
            <Link
              to="/$mode/articles"
              params={{ mode }}
              search={{ project: id }}
              className={buttonClass()}
            >
              <FileText aria-hidden className="size-4 text-muted" />
              Articles
            </Link>
            <Link
              to="/$mode/generations"
              params={{ mode }}
              search={{ project: id }}
              className={buttonClass()}
            >
              <Sparkles aria-hidden className="size-4 text-muted" />
              Generations
            </Link>
            {mayChange && (
              <ChangeMenu
                name={project.name}
                onChange={() => setDialog('change')}
                onDelete={() => setDialog('delete')}
              />
            )}
          </>
        )
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {project === undefined && error === null && <Skeleton />}
      {project && !isGone && (
        <div className="space-y-4">
          <Card className="p-4">
            <Facts
              of={[
                [
                  'Domain',
                  project.domain === null ? (
                    <span key="domain" className="text-faint">
                      none
                    </span>
                  ) : (
                    readableDomain(project.domain)
                  ),
                ],
                ['Language', describeLanguage(project.language)],
                ['Created', <Time key="created" at={project.created_at} />],
                [
                  'ID',
                  <Code key="id" wrap>
                    {project.id}
                  </Code>,
                ],
              ]}
            />
          </Card>
          <Writing of={project} />
          {!isDeleted && <Keywords of={project} />}
          {!isDeleted && mode === 'live' && <RankRuns of={project} />}
        </div>
      )}
      {project && dialog === 'change' && (
        <ProjectDialog of={project} onClose={done} onSaved={done} />
      )}
      {project && dialog === 'delete' && (
        <DeleteProject
          of={project}
          onClose={done}
          onDeleted={() => {
            setIsDeleted(true)
            navigate({ to: '/$mode/projects', params: { mode } })
          }}
        />
      )}
    </Frame>
  )
}
