import { useState } from 'react'
import type { Article } from '../../../../content/articles/schema'
import { Button } from '../../kit/controls/button'
import { toast } from '../../kit/controls/toast'
import { Confirm } from '../../kit/dialogs/confirm'
import { Actions, Dialog } from '../../kit/dialogs/dialog'
import { type BatchAction, type BatchResult, useBatch } from './use-batch'

type Props = {
  action: BatchAction
  selected: readonly Article[]
  onClose: () => void
  /** All were changed. */
  onDone: () => void
}

type Failed = BatchResult['failed']

/** `changes`: the status of the articles that an action changes. */
const TEXTS = {
  publish: {
    verb: 'Publish',
    done: 'published',
    changes: 'DRAFT',
    already: ['is published', 'are published'],
    button: 'Publish',
    meaning:
      'Each article that is a draft is published now and sends its events, also one that is scheduled.',
  },
  unpublish: {
    verb: 'Unpublish',
    done: 'unpublished',
    changes: 'PUBLISHED',
    already: ['is a draft', 'are drafts'],
    button: 'Unpublish',
    meaning:
      'Each article that is published becomes a draft and sends an article.updated event, so that your website can take it down.',
  },
  delete: {
    verb: 'Delete',
    done: 'deleted',
    // All of them, so none is deleted already.
    changes: undefined,
    already: [],
    button: 'Delete permanently',
    meaning:
      'Each article is deleted permanently and sends an article.deleted event, so that your website can remove it. This cannot be undone.',
  },
} as const

const articlesOf = (count: number) => `${count} ${count === 1 ? 'article' : 'articles'}`

/** Asks for confirmation, then publishes, unpublishes or deletes the selected articles, and names those that failed. */
export const ChangeArticles = ({ action, selected, onClose, onDone }: Props) => {
  const { verb, done, changes, already, button, meaning } = TEXTS[action]
  const articles = selected.filter(({ status }) => changes === undefined || status === changes)
  const others = selected.length - articles.length
  const batch = useBatch(
    action,
    articles.map(({ id }) => id),
  )
  const [failed, setFailed] = useState<Failed>()
  const run = async () => {
    const result = await batch.run()
    if (result === undefined) return
    if (result.failed.length > 0) return setFailed(result.failed)
    toast({ title: `${articlesOf(articles.length)} ${done}` })
    onDone()
  }
  if (failed !== undefined)
    return (
      <Failures
        title={`${articles.length - failed.length} of ${articlesOf(articles.length)} ${done}`}
        failed={failed.map(({ article, message }) => ({
          id: article,
          title: articles.find(({ id }) => id === article)?.title ?? article,
          message,
        }))}
        onClose={onClose}
      />
    )
  return (
    <Confirm
      open
      danger={action === 'delete'}
      title={
        articles.length === 0
          ? `Nothing to ${verb.toLowerCase()}`
          : `${verb} ${articlesOf(articles.length)}?`
      }
      action={button}
      disabled={articles.length === 0}
      busy={batch.isPending}
      error={batch.error}
      onClose={onClose}
      onConfirm={run}
    >
      {others > 0 && (
        <p>
          {articlesOf(others)} {others === 1 ? already[0] : already[1]} already.
        </p>
      )}
      {articles.length > 0 && <p>{meaning}</p>}
    </Confirm>
  )
}

type FailuresProps = {
  title: string
  failed: { id: string; title: string; message: string }[]
  onClose: () => void
}

const Failures = ({ title, failed, onClose }: FailuresProps) => (
  <Dialog open title={title} description="The others were not changed:" onClose={onClose}>
    <ul className="space-y-2 text-sm">
      {failed.map(({ id, title, message }) => (
        <li key={id}>
          <span className="font-medium break-words">{title}</span>
          <span className="block break-words text-bad">{message}</span>
        </li>
      ))}
    </ul>
    <Actions>
      <Button onClick={onClose}>Close</Button>
    </Actions>
  </Dialog>
)
