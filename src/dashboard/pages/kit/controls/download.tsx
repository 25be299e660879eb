import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Mode } from '../../../../caller'
import { callFile } from '../../api/client'
import { Button } from './button'
import { toastError } from './toast'

type Props = { path: string; mode?: Mode }

/** Downloads every record that matches, not only the loaded ones. */
export const DownloadCsv = ({ path, mode }: Props) => {
  const [busy, download] = useDownload(mode)
  return (
    <Button busy={busy} onClick={() => download(path)}>
      {!busy && <Download aria-hidden className="size-4" />}
      Download CSV
    </Button>
  )
}

/** Whether a download is under way, and a function that saves a file of the server under the name that it has there. */
export const useDownload = (mode?: Mode): [busy: boolean, download: (path: string) => void] => {
  const [busy, setBusy] = useState(false)
  const download = async (path: string) => {
    setBusy(true)
    try {
      save(await callFile(path, mode))
    } catch (error) {
      toastError('Download failed', error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  return [busy, download]
}

const save = (file: File) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = file.name
  link.click()
  URL.revokeObjectURL(link.href)
}
