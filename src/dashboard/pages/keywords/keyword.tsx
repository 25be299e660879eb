import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { FileText, Sparkles } from 'lucide-react'
import { useState } from 'react'
import type { Keyword } from '../../../content/keywords/schema'
import type { Project } from '../../../content/projects/schema'
import { useRecord } from '../api/queries'
import { StartGeneration } from '../generations/start'
import { Badge } from '../kit/controls/badge'
import { Button, buttonClass } from '../kit/controls/button'
import { ChangeMenu } from '../kit/controls/change-menu'
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

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const { id = '' } = useParams({ strict: false })
  const [doing, setDoing] = useState<'change' | 'delete' | 'generate'>()
  const [isGone, setIsGone] = useState(false)
  const {
    data: keyword,
    error,
    refetch,
  } = useRecord<Keyword>('keywords', `/keywords/${id}`, !isGone)
  const { data: project } = useRecord<Project>(
    'projects',
    `/projects/${keyword?.project_id}`,
    keyword !== undefined && !isGone,
  )
  const done = () => setDoing(undefined)
  const toProject = (projectId: string) =>
    navigate({ to: '/$mode/projects/$id', params: { mode, id: projectId } })
  return (
    <Frame
      title={keyword?.keyword ?? 'Keyword'}
      back={
        keyword && (
          <Back to="/$mode/projects/$id" params={{ mode, id: keyword.project_id }}>
            {project?.name ?? 'Its project'}
          </Back>
        )
      }
      about={
        keyword && (
          <span className="mt-1 flex flex-wrap gap-1.5">
            <Badge>{keyword.country}</Badge>
            <Badge>{keyword.device}</Badge>
            {keyword.tracked ? <Badge tone="good">Tracked</Badge> : <Badge>Not tracked</Badge>}
          </span>
        )
      }
      actions={
        keyword && (
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
                <Button look="primary" onClick={() => setDoing('generate')}>
                  <Sparkles aria-hidden className="size-4" />
                  Generate article
                </Button>
                <ChangeMenu
                  name={keyword.keyword}
                  onChange={() => setDoing('change')}
                  onDelete={() => setDoing('delete')}
                />
              </>
            )}
          </>
        )
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {keyword === undefined && error === null && <Skeleton />}
      {keyword && !isGone && (
        <div className="space-y-4">
          <History of={id} />
          <Rankings of={id} />
        </div>
      )}
      {keyword && doing === 'change' && <KeywordDialog of={keyword} onClose={done} />}
      {keyword && doing === 'generate' && <StartGeneration keyword={keyword} onClose={done} />}
      {keyword && doing === 'delete' && (
        <DeleteKeyword
          of={keyword}
          onClose={done}
          onDeleted={() => {
            setIsGone(true)
            toProject(keyword.project_id)
          }}
        />
      )}
    </Frame>
  )
}
