import { Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Article } from '../../../../content/articles/schema'
import { EXPORT_IDS_MAX } from '../../../../content/export/limits'
import { Button } from '../../kit/controls/button'
import { SelectAll } from '../../kit/tables/select-all'
import type { Selection } from '../../kit/tables/use-selection'
import { useMayChange } from '../../session/me'
import { ExportMenu } from '../export-menu'
import { ChangeArticles } from './change'
import type { BatchAction } from './use-batch'

type Dialog = { action: BatchAction; selected: readonly Article[] }

/** Selects articles, and publishes, unpublishes, exports or deletes the selected ones. */
export const BulkBar = ({ of: selection }: { of: Selection<Article> }) => {
  const mayChange = useMayChange()
  // The articles as they were when it opened: those that are deleted leave the list.
  const [dialog, setDialog] = useState<Dialog>()
  const { selected, selectAll } = selection
  const open = (action: BatchAction) => setDialog({ action, selected })
  const close = () => setDialog(undefined)
  return (
    <>
      {selection.rows.length > 0 && (
        <SelectAll of={selection}>
          <div className="flex flex-wrap gap-2">
            {mayChange && (
              <Button variant="primary" onClick={() => open('publish')}>
                <Send aria-hidden className="size-4" />
                Publish
              </Button>
            )}
            {mayChange && <Button onClick={() => open('unpublish')}>Unpublish</Button>}
            {selected.length > EXPORT_IDS_MAX ? (
              <span className="self-center text-muted">
                Select at most {EXPORT_IDS_MAX} to export them.
              </span>
            ) : (
              <ExportMenu
                label="Export"
                path="/articles/export"
                which={{ ids: selected.map(({ id }) => id).join(',') }}
              />
            )}
            {mayChange && (
              <Button onClick={() => open('delete')}>
                <Trash2 aria-hidden className="size-4" />
                Delete
              </Button>
            )}
          </div>
        </SelectAll>
      )}
      {dialog !== undefined && (
        <ChangeArticles
          {...dialog}
          onClose={close}
          onDone={() => {
            selectAll(false)
            close()
          }}
        />
      )}
    </>
  )
}
