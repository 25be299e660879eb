import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Mode } from '../../../../caller'
import { callFile } from '../../api/client'
import { Button } from './button'
import { toastError } from './toast'

type Props = { path: string; name: string; mode?: Mode }

/** Downloads every record that matches, not only the loaded ones. */
export const DownloadCsv = ({ path, name, mode }: Props) => {
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      save(await callFile(path, mode), name)
    } catch (error) {
      toastError('Download failed', error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button busy={busy} onClick={download}>
      {!busy && <Download aria-hidden className="size-4" />}
      Download CSV
    </Button>
  )
}

const save = (file: Blob, name: string) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
