import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import type { Found } from '../../../search/store'
import { call, query } from '../../api/client'
import { Status } from '../../kit/controls/badge'
import { BACKDROP } from '../../kit/dialogs/dialog'
import { useReturnFocus } from '../../kit/dialogs/return-focus'
import { Problem } from '../../kit/layout/problem'
import { useMode } from '../../mode'
import { type Entry, type Group, groupsOf } from './entries'

/** The search runs after a pause in typing of this time, in ms. */
const TYPED_MS = 150
/** Characters that the server accepts. */
const TEXT_MAX = 200

/** `input`: the element of its text, once it is rendered. */
export type PaletteProps = {
  input: RefObject<HTMLInputElement | null>
  text: string
  setText: (text: string) => void
  onClose: () => void
}

/** Search over pages and records by text or id, as a list of links that the arrow keys walk. */
export const Palette = ({ input, text, setText, onClose }: PaletteProps) => {
  useReturnFocus()
  const mode = useMode()
  const { data, error, isFetching } = useFound(text)
  const groups = groupsOf(mode, text, data)
  return (
    <Dialog.Root open onOpenChange={next => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP} />
        <Dialog.Popup
          aria-label="Search"
          className="fixed top-[12vh] left-1/2 z-40 flex max-h-[min(32rem,80dvh)] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-high"
        >
          <Autocomplete.Root
            open
            inline
            mode="none"
            autoHighlight="always"
            keepHighlight
            items={groups}
            value={text}
            onValueChange={setText}
            itemToStringValue={({ title }: Entry) => title}
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search aria-hidden className="size-4 shrink-0 text-faint" />
              <Autocomplete.Input
                ref={input}
                aria-label="Search pages and records"
                placeholder="Search by name, title, URL or ID"
                maxLength={TEXT_MAX}
                className="-mr-2 my-1.5 h-9 min-w-0 grow rounded-md bg-transparent px-2 text-base outline-offset-0 max-sm:text-[16px]"
              />
            </div>
            <Problem error={error} className="m-3" />
            <div className="min-h-0 grow overflow-y-auto p-2">
              <Autocomplete.Empty className="empty:hidden px-2 py-6 text-center text-sm text-muted">
                {isFetching
                  ? 'Searching…'
                  : `No results in ${mode} mode. You can search for part of a name, URL or ID.`}
              </Autocomplete.Empty>
              <Autocomplete.List>
                {(group: Group) => (
                  <Autocomplete.Group key={group.value} items={group.items} className="mb-2">
                    <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-medium text-faint">
                      {group.value}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(entry: Entry) => (
                        <EntryLink key={entry.key} of={entry} onFollow={onClose} />
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </div>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const EntryLink = ({ of: entry, onFollow }: { of: Entry; onFollow: () => void }) => {
  const { icon: Icon, title, detail, status } = entry
  return (
    <Autocomplete.Item
      value={entry}
      onClick={onFollow}
      render={
        <Link
          to={entry.to as '/'}
          params={entry.params as object}
          search={entry.search as object}
        />
      }
      className="flex items-center gap-3 rounded-md px-2 py-1.5 text-sm outline-offset-[-2px] data-[highlighted]:bg-hover"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 grow">
        <span dir="auto" className="block truncate">
          {title}
        </span>
        {detail !== null && detail !== title && (
          <span className="block truncate text-xs text-muted">{detail}</span>
        )}
      </span>
      {status !== null && <Status of={status} />}
    </Autocomplete.Item>
  )
}

/** What the server finds for the text, once typing pauses. Until then, what it found before. */
const useFound = (text: string) => {
  const mode = useMode()
  const [typed, setTyped] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text.trim()), TYPED_MS)
    return () => clearTimeout(timer)
  }, [text])
  const result = useQuery({
    queryKey: [mode, 'search', typed],
    queryFn: ({ signal }) =>
      call<{ data: Found[] }>('GET', `/search${query({ text: typed })}`, { mode, signal }),
    enabled: typed !== '',
    placeholderData: keepPreviousData,
  })
  return {
    data: typed === '' ? [] : (result.data?.data ?? []),
    error: result.error,
    isFetching: result.isFetching || typed !== text.trim(),
  }
}
