import { Search } from 'lucide-react'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../kit/controls/button'
import { toastError } from '../../kit/controls/toast'
import { isShortcut } from '../../kit/shortcut'
import { loadPage } from '../load-page'
import type { PaletteProps } from './palette'

/**
 * The search of every page, opened by ⌘K or Ctrl+K too. It is loaded when it is first opened.
 * @returns How to open it, and the search itself, to be rendered once.
 */
export const useSearch = () => {
  const [isOpen, setOpen] = useState(false)
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>()
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!isOpen) return setText('')
    // Until its input has the focus, the search takes what is typed, and the page below must not get it.
    const onKey = (event: KeyboardEvent) => {
      if (input.current !== null && event.target === input.current) return
      if (event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key.length !== 1 && event.key !== 'Enter') return
      event.preventDefault()
      if (event.key !== 'Enter') setText(before => before + event.key)
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [isOpen])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event, 'k')) return
      event.preventDefault()
      setOpen(before => !before)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (!isOpen || Palette !== undefined) return
    loadPage(() => import('./palette')).then(
      module => setPalette(() => module.Palette),
      (error: Error) => {
        setOpen(false)
        toastError('Search is not loaded', error)
      },
    )
  }, [isOpen, Palette])
  return {
    open: () => setOpen(true),
    search: isOpen && Palette !== undefined && (
      <Palette input={input} text={text} setText={setText} onClose={() => setOpen(false)} />
    ),
  }
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

export const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    aria-keyshortcuts="Control+K Meta+K"
    onClick={onClick}
    className="flex h-8 shrink-0 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-muted shadow-low hover:border-faint"
  >
    <Search aria-hidden className="size-3.5" />
    <span className="grow text-left">Search</span>
    <kbd aria-hidden className="font-sans text-xs text-faint">
      {isMac ? '⌘K' : 'Ctrl K'}
    </kbd>
  </button>
)

export const SearchIconButton = ({ onClick }: { onClick: () => void }) => (
  <IconButton label="Search" className="max-lg:size-10" onClick={onClick}>
    <Search />
  </IconButton>
)
