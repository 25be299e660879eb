import { Download, FileCode, FileText } from 'lucide-react'
import type { ExportFormat } from '../../../content/export/limits'
import { query } from '../api/client'
import { Button } from '../kit/controls/button'
import { useDownload } from '../kit/controls/download'
import { Menu, MenuItem } from '../kit/controls/menu'
import { useMode } from '../mode'

type ItemsProps = { suffix?: string; onExport: (format: ExportFormat) => void }

/** An item of a menu for each format. */
export const ExportItems = ({ suffix = '', onExport }: ItemsProps) => (
  <>
    <MenuItem icon={<FileText />} onClick={() => onExport('markdown')}>
      Export as Markdown{suffix}
    </MenuItem>
    <MenuItem icon={<FileCode />} onClick={() => onExport('html')}>
      Export as HTML{suffix}
    </MenuItem>
  </>
)

type Props = {
  /** The text of the button. */
  label: string
  /** The path of the public API. */
  path: `/articles/export` | `/articles/${string}/export`
  /** Which articles a ZIP has: members of the query. */
  which?: Record<string, string | undefined>
}

/** Downloads an article, or several as a ZIP. */
export const ExportMenu = ({ label, path, which = {} }: Props) => {
  const [busy, download] = useDownload(useMode())
  return (
    <Menu
      label={label}
      trigger={
        <Button busy={busy}>
          {!busy && <Download aria-hidden className="size-4" />}
          {label}
        </Button>
      }
    >
      <ExportItems
        suffix={path === '/articles/export' ? ' (ZIP)' : ''}
        onExport={format => download(`/v1${path}${query({ ...which, format })}`)}
      />
    </Menu>
  )
}
