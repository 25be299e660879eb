import { useParams } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { Article } from '../../../../content/articles/schema'
import type {
  ArticleVersion,
  ArticleVersionDetail,
} from '../../../../content/articles/version-schema'
import { useList, useRecord } from '../../api/queries'
import { Button } from '../../kit/controls/button'
import { Confirm } from '../../kit/dialogs/confirm'
import { FilterSelect, useFilters } from '../../kit/forms/filters'
import { Back } from '../../kit/layout/back'
import { Skeleton } from '../../kit/layout/empty'
import { Card, Frame } from '../../kit/layout/page'
import { Problem } from '../../kit/layout/problem'
import { useMode } from '../../mode'
import { useMayChange } from '../../session/me'
import { Difference } from './difference'
import { useRestore } from './use-restore'
import { Versions } from './versions'

/** The versions of an article, and what one of them changed. */
export const Page = () => {
  const mode = useMode()
  const { id = '' } = useParams({ strict: false })
  const [{ version }, setFilter] = useFilters('version')
  const article = useRecord<Article>('articles', `/articles/${id}`)
  const versions = useList<ArticleVersion>('articles', `/articles/${id}/versions`)
  const shown = versions.rows?.find(one => String(one.version) === version) ?? versions.rows?.[0]
  return (
    <Frame
      title={article.data?.title ?? 'Article'}
      about="Every change of the text, with who made it. The newest 100 earlier versions are kept, until the retention period ends."
      back={
        <Back to="/$mode/articles/$id" params={{ mode, id }}>
          Article
        </Back>
      }
    >
      <Problem
        error={article.error ?? versions.error}
        onRetry={() => {
          void article.refetch()
          void versions.refetch()
        }}
        className="mb-4"
      />
      {shown === undefined && versions.error === null && <Skeleton />}
      {shown !== undefined && (
        <div className="grid items-start gap-4 lg:grid-cols-[17rem_1fr]">
          <Card>
            <Versions
              articleId={id}
              versions={versions.rows ?? []}
              selected={shown.version}
              onMore={versions.hasNextPage ? () => void versions.fetchNextPage() : undefined}
            />
          </Card>
          <OneVersion
            key={shown.version}
            of={shown}
            hasEarlier={versions.rows?.at(-1)?.version !== shown.version}
            current={article.data?.version}
            status={article.data?.status}
            onRestored={() => setFilter('version', '')}
          />
        </div>
      )}
    </Frame>
  )
}

type OneProps = {
  of: ArticleVersion
  hasEarlier: boolean
  current: number | undefined
  /** Undefined while it is not known. */
  status: Article['status'] | undefined
  onRestored: () => void
}

const OneVersion = ({ of: { article_id, version, is_current }, ...props }: OneProps) => {
  const { hasEarlier, current = version, status, onRestored } = props
  const [isConfirming, setConfirming] = useState(false)
  const mayChange = useMayChange()
  const restore = useRestore(article_id, onRestored)
  const [{ compare }, setFilter] = useFilters('compare')
  const choices = [
    ...(hasEarlier ? ([['before', 'What it changed']] as const) : []),
    ...(is_current ? [] : ([['current', 'What has changed since']] as const)),
  ]
  const isSince = choices.some(([value]) => value === compare)
    ? compare === 'current'
    : choices[0]?.[0] === 'current'
  const [from, to] = isSince ? [version, current] : [hasEarlier ? version - 1 : version, version]
  const earlier = useRecord<ArticleVersionDetail>('articles', pathOf(article_id, from))
  const later = useRecord<ArticleVersionDetail>('articles', pathOf(article_id, to))
  return (
    <Card
      title={`Version ${version}`}
      actions={
        <span className="flex flex-wrap gap-2">
          {choices.length > 0 && (
            <FilterSelect
              label="Compare"
              value={isSince ? 'current' : 'before'}
              onChange={value => setFilter('compare', value)}
              options={choices}
            />
          )}
          {mayChange && !is_current && (
            <Button
              busy={restore.isPending}
              disabled={status === undefined}
              onClick={() =>
                status === 'PUBLISHED' ? setConfirming(true) : restore.mutate(version)
              }
            >
              <RotateCcw aria-hidden className="size-4" />
              Restore this version
            </Button>
          )}
        </span>
      }
    >
      {isConfirming && (
        <RestorePublic
          version={version}
          onClose={() => setConfirming(false)}
          onRestore={() => restore.mutate(version)}
        />
      )}
      <Problem error={earlier.error ?? later.error} className="m-4" />
      {earlier.data && later.data ? (
        from === to ? (
          <FullText of={later.data} />
        ) : (
          <Difference from={earlier.data} to={later.data} />
        )
      ) : (
        !earlier.error &&
        !later.error && (
          // As high as the window, so that the page is not scrolled up meanwhile.
          <div className="min-h-dvh">
            <Skeleton />
          </div>
        )
      )}
    </Card>
  )
}

/** Confirms that an earlier text becomes public. */
const RestorePublic = (props: { version: number; onClose: () => void; onRestore: () => void }) => (
  <Confirm
    open
    title={`Restore version ${props.version}?`}
    action="Restore"
    danger={false}
    onClose={props.onClose}
    onConfirm={() => {
      props.onRestore()
      props.onClose()
    }}
  >
    <p>
      The article is published: the text of this version becomes public immediately. The current
      text stays in the history.
    </p>
  </Confirm>
)

const pathOf = (articleId: string, version: number) => `/articles/${articleId}/versions/${version}`

/** Of the oldest version, which has nothing to compare with. */
const FullText = ({ of: { title, body } }: { of: ArticleVersionDetail }) => (
  <div className="p-4">
    <p className="mb-2 font-medium break-words">{title}</p>
    <p className="text-sm leading-6 break-words whitespace-pre-wrap">{body}</p>
  </div>
)
