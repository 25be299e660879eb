import { CalendarClock, CalendarX, MoreHorizontal, Sparkles, Trash2 } from 'lucide-react'
import type { Article } from '../../../content/articles/schema'
import type { ExportFormat } from '../../../content/export/limits'
import { IconButton } from '../kit/controls/button'
import { Menu, MenuItem, MenuLine } from '../kit/controls/menu'
import { ExportItems } from './export-menu'

type Props = {
  of: Article
  isDirty: boolean
  onWriteAnew: () => void
  onSchedule: () => void
  onCancelSchedule: () => void
  onExport: (format: ExportFormat) => void
  onDelete: () => void
}

/** What else can be done with an article. */
export const ArticleMenu = ({
  of,
  isDirty,
  onWriteAnew,
  onSchedule,
  onCancelSchedule,
  onExport,
  onDelete,
}: Props) => (
  <Menu
    label="Article actions"
    trigger={
      <IconButton label="More actions">
        <MoreHorizontal />
      </IconButton>
    }
  >
    <MenuItem icon={<Sparkles />} onClick={onWriteAnew}>
      {withSave('Write anew…', isDirty)}
    </MenuItem>
    {of.status === 'DRAFT' && (
      <MenuItem icon={<CalendarClock />} onClick={onSchedule}>
        {withSave(of.scheduled_at === null ? 'Schedule…' : 'Change the schedule…', isDirty)}
      </MenuItem>
    )}
    {of.scheduled_at !== null && (
      <MenuItem icon={<CalendarX />} onClick={onCancelSchedule}>
        {withSave('Cancel the schedule', isDirty)}
      </MenuItem>
    )}
    <ExportItems suffix={isDirty ? ' (as saved)' : ''} onExport={onExport} />
    <MenuLine />
    <MenuItem icon={<Trash2 />} danger onClick={onDelete}>
      Delete
    </MenuItem>
  </Menu>
)

/** What an item does, where it saves unsaved changes as well. */
const withSave = (text: string, isDirty: boolean) =>
  isDirty ? `Save and ${text.charAt(0).toLowerCase()}${text.slice(1)}` : text
