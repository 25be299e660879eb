import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { FileText, Sparkles } from 'lucide-react'
import { useState } from 'react'
import type { Keyword } from '../../../content/keywords/schema'
import type { Project } from '../../../content/projects/schema'
import { useRecord } from '../api/queries'
import { EventsAbout } from '../events/about'
import { StartGeneration } from '../generations/start'
import { Badge } from '../kit/controls/badge'
import { Button, buttonClass } from '../kit/controls/button'
import { ChangeMenu } from '../kit/controls/change-menu'
import { Code } from '../kit/controls/copy'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { DeleteKeyword } from './delete'
import { KeywordDialog } from './dialog'
import { History } from './history'
import { Rankings } from './rankings'
import { Tracking } from './tracking'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const { id = '' } = useParams({ strict: false })
  const [dialog, setDialog] = useState<'change' | 'delete' | 'generate'>()
  const [isDeleted, setIsDeleted] = useState(false)
  const {
    data: keyword,
    error,
    isGone,
    refetch,
  } = useRecord<Keyword>('keywords', `/keywords/${id}`, !isDeleted)
  const { data: project } = useRecord<Project>(
    'projects',
    `/projects/${keyword?.project_id}`,
    keyword !== undefined && !isDeleted,
  )
  const done = () => setDialog(undefined)
  const toProject = (projectId: string) =>
    navigate({ to: '/$mode/projects/$id', params: { mode, id: projectId } })
  return (
    <Frame
      title={keyword?.keyword ?? 'Keyword'}
      back={
        keyword === undefined ? (
          <Back to="/$mode/projects" params={{ mode }}>
            Projects
          </Back>
        ) : (
          <Back to="/$mode/projects/$id" params={{ mode, id: keyword.project_id }}>
            {project?.name ?? 'Project'}
          </Back>
        )
      }
      about={
        keyword && (
          <span className="mt-1 flex flex-wrap items-center gap-1.5">
            <Badge>{keyword.country}</Badge>
            <Badge>{keyword.device}</Badge>
            <Tracking isOn={keyword.tracked} domain={project?.domain} />
            {keyword.tags.map(tag => (
              <Badge key={tag}>{tag}</Badge>
            ))}
            <Code>{keyword.id}</Code>
          </span>
        )
      }
      actions={
        keyword &&
        !isGone && (
          <>
            <Link
              to="/$mode/articles"
              params={{ mode }}
              search={{ keyword: id }}
              className={buttonClass()}
            >
              <FileText aria-hidden className="size-4 text-muted" />
              Articles
            </Link>
            {mayChange && (
              <>
                <Button variant="primary" onClick={() => setDialog('generate')}>
                  <Sparkles aria-hidden className="size-4" />
                  Generate article
                </Button>
                <ChangeMenu
                  name={keyword.keyword}
                  onChange={() => setDialog('change')}
                  onDelete={() => setDialog('delete')}
                />
              </>
            )}
          </>
        )
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {keyword === undefined && error === null && <Skeleton />}
      {keyword && !isDeleted && !isGone && (
        <div className="space-y-4">
          <History of={id} />
          <Rankings of={id} />
          <EventsAbout id={id} />
        </div>
      )}
      {keyword && dialog === 'change' && <KeywordDialog of={keyword} onClose={done} />}
      {keyword && dialog === 'generate' && <StartGeneration keyword={keyword} onClose={done} />}
      {keyword && dialog === 'delete' && (
        <DeleteKeyword
          of={keyword}
          onClose={done}
          onDeleted={() => {
            setIsDeleted(true)
            toProject(keyword.project_id)
          }}
        />
      )}
    </Frame>
  )
}
