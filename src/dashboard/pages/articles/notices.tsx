import type { Article } from '../../../content/articles/schema'
import { ApiError } from '../api/client'
import { cx } from '../kit/classes'
import { Button } from '../kit/controls/button'
import { Notice } from '../kit/layout/notice'
import { isText } from './history/difference'

export const Restored = () => <Notice>Your unsaved changes were restored.</Notice>

const LABELS: { [name: string]: string } = {
  scheduled_at: 'time of publication',
  keyword_id: 'keyword',
  meta_title: 'meta title',
  meta_description: 'meta description',
}

const listOf = (names: string[]) => names.map(name => LABELS[name] ?? name).join(' and the ')

/** A draft became public under the hands of a user. */
export const PublishedMeanwhile = () => (
  <Notice>
    While you were editing, this article was published. Saving makes your changes public.
  </Notice>
)

type SaveStateProps = {
  isDirty: boolean
  isPublishedMeanwhile: boolean
  conflicts: string[]
  error: Error | null
}

/** Whether all is saved. Names the refused fields and those that changed elsewhere, which can be out of view. */
export const SaveState = (props: SaveStateProps) => {
  const { tone, text } = saveState(props)
  return (
    <p role="status" className={cx('mr-auto text-sm', tone)}>
      {text}
    </p>
  )
}

const saveState = ({ isDirty, isPublishedMeanwhile, conflicts, error }: SaveStateProps) => {
  const details = isDirty && error instanceof ApiError ? error.details : []
  const refused = details.map(({ path }) => path)
  if (refused.length > 0)
    return { tone: 'text-bad', text: `Not saved. Correct the ${listOf(refused)}.` }
  if (conflicts.length > 0)
    return {
      tone: 'text-warn',
      text: `The ${listOf(conflicts)} changed elsewhere, too. Saving replaces that version: see the notice at the top.`,
    }
  if (isPublishedMeanwhile)
    return {
      tone: 'text-warn',
      text: 'Unsaved changes. The article was published meanwhile: saving makes them public.',
    }
  return { tone: 'text-muted', text: isDirty ? 'Unsaved changes' : 'All changes saved' }
}

/** The same fields were changed here and elsewhere. */
export const Conflict = (props: {
  names: string[]
  saved: Article
  onCompare: () => void
  onTakeTheirs: () => void
}) => (
  <Notice>
    <p>
      While you were editing, the {listOf(props.names)} changed in another tab or through another
      user. Saving replaces that version with yours.
      {props.names.includes('slug') && ` The saved slug is ${props.saved.slug}.`}
      {props.names.includes('keyword_id') &&
        ` The saved article has ${props.saved.keyword_id === null ? 'no' : 'another'} keyword.`}
    </p>
    <span className="flex flex-wrap gap-2">
      {props.names.some(isText) && <Button onClick={props.onCompare}>Compare</Button>}
      <Button onClick={props.onTakeTheirs}>Discard my changes</Button>
    </span>
  </Notice>
)
