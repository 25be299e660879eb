import type { Article } from '../../../content/articles/schema'
import type { Fields } from '../drafts/draft'
import { Button } from '../kit/controls/button'
import { Actions, Dialog } from '../kit/dialogs/dialog'
import { Difference } from './history/difference'

type Props = { of: Article; fields: Fields; onClose: () => void }

/** What a save would change in the version that was saved elsewhere. */
export const CompareConflict = ({ of: article, fields, onClose }: Props) => (
  <Dialog
    open
    wide
    title="The saved version and yours"
    description="Saving removes what is struck through, and adds what is green."
    onClose={onClose}
  >
    <div className="-mx-5 border-y border-line">
      <Difference from={article} to={fields} />
    </div>
    <Actions>
      <Button onClick={onClose}>Close</Button>
    </Actions>
  </Dialog>
)
