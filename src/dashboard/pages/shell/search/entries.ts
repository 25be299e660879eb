import {
  FileText,
  FolderOpen,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Search,
  Send,
  Sparkles,
  Webhook,
  Zap,
} from 'lucide-react'
import type { Mode } from '../../../../caller'
import type { Found, Kind } from '../../../search/store'
import { PAGES } from '../page-list'

/** A link of the search. */
export type Entry = {
  key: string
  icon: LucideIcon
  title: string
  detail: string | null
  status: string | null
  to: string
  params: { mode: Mode; id?: string }
  search: { status?: string }
}
export type Group = { value: string; items: Entry[] }

const KINDS: { [kind in Kind]: [group: string, icon: LucideIcon, to: string] } = {
  project: ['Projects', FolderOpen, '/$mode/projects/$id'],
  keyword: ['Keywords', Search, '/$mode/keywords/$id'],
  article: ['Articles', FileText, '/$mode/articles/$id'],
  generation: ['Generations', Sparkles, '/$mode/generations/$id'],
  webhook: ['Webhooks', Webhook, '/$mode/webhooks/$id'],
  key: ['API keys', KeyRound, '/$mode/keys'],
  delivery: ['Deliveries', Send, '/$mode/deliveries/$id'],
  event: ['Events', Zap, '/$mode/events/$id'],
  request: ['Failed requests', ScrollText, '/$mode/requests/$id'],
}

/** An API key has no page of its own, and the list of them shows active ones unless another status is chosen. */
const searchOf = (kind: string, status: string | null): Entry['search'] =>
  kind === 'key' && status !== null && status !== 'active' ? { status } : {}

/** Another record that reads the same: only the ids of the two differ. */
const isLike =
  ({ kind, id, title, detail }: Omit<Found, 'kind' | 'status'> & { kind: string }) =>
  (other: Found) =>
    other.id !== id && other.kind === kind && other.title === title && other.detail === detail

/** The pages whose names match, and what the server found, by kind. */
export const groupsOf = (mode: Mode, text: string, found: readonly Found[]): Group[] => {
  const typed = text.trim().toLowerCase()
  const pages: Entry[] = PAGES.filter(([, name]) => name.toLowerCase().includes(typed)).map(
    ([to, title, icon]) => ({
      key: to,
      icon,
      title,
      detail: null,
      status: null,
      to,
      params: { mode },
      search: {},
    }),
  )
  const records = Object.entries(KINDS).map(([kind, [value, icon, to]]) => ({
    value,
    items: found
      .filter(one => one.kind === kind)
      .map(({ id, title, detail, status }) => ({
        key: id,
        icon,
        title,
        detail: found.some(isLike({ kind, id, title, detail })) ? id : detail,
        status,
        to,
        params: { mode, id },
        search: searchOf(kind, status),
      })),
  }))
  return [{ value: 'Pages', items: pages }, ...records].filter(({ items }) => items.length > 0)
}
