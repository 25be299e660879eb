import { Check, Copy as CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { cx } from '../classes'
import { IconButton } from './button'
import { toast } from './toast'

const SHOWN_MS = 1_500

/** Copies a text to the clipboard and confirms it. */
export const CopyButton = ({ text, label = 'Copy' }: { text: string; label?: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), SHOWN_MS)
    } catch {
      toast({
        tone: 'bad',
        title: 'Copy failed',
        text: 'Your browser denied access to the clipboard. Select the text and copy it by hand.',
      })
    }
  }
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={copy} className="size-7 max-sm:size-8">
      {copied ? <Check className="text-good" /> : <CopyIcon />}
    </IconButton>
  )
}

/** An id or another machine-readable text, with a copy button. */
export const Code = ({ children, wrap = false }: { children: string; wrap?: boolean }) => (
  <span className="inline-flex max-w-full items-center gap-0.5 align-top [&_button]:-my-1.5">
    <code
      title={children}
      className={cx('font-mono text-xs text-muted', wrap ? 'line-clamp-4 break-all' : 'truncate')}
    >
      {children}
    </code>
    <CopyButton text={children} label={`Copy ${children}`} />
  </span>
)
