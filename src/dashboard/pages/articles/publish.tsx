import { useEffect, useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import { Button } from '../kit/controls/button'
import { capitalize } from '../kit/sentence'

/** In ms: the second press of a double one would undo the first. */
const DOUBLE_PRESS_MS = 1_000

type Props = {
  of: Article
  isDirty: boolean
  isSaving: boolean
  onPress: (status: Article['status']) => void
}

/** Publishes an article or takes it back, with its unsaved text. Does nothing for a moment after it has become the other. */
export const PublishButton = ({ of: { status }, isDirty, isSaving, onPress }: Props) => {
  const [shown, setShown] = useState(status)
  useEffect(() => {
    if (shown === status) return
    const timer = setTimeout(() => setShown(status), DOUBLE_PRESS_MS)
    return () => clearTimeout(timer)
  }, [shown, status])
  const isPublished = status === 'PUBLISHED'
  const action = isPublished ? 'unpublish' : 'publish'
  return (
    <Button
      busy={isSaving || shown !== status}
      onClick={() => onPress(isPublished ? 'DRAFT' : 'PUBLISHED')}
    >
      {isDirty ? `Save and ${action}` : capitalize(action)}
    </Button>
  )
}
