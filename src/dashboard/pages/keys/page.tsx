import { KeyRound, MoreHorizontal, Pencil, Plus, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { RateLimitUsage } from '../../../keys/rate-limit-usage'
import type { ApiKey, ApiKeyWithValue, KeyStatusFilter } from '../../../keys/schema'
import { useDashboard, useList } from '../api/queries'
import { Badge, Status } from '../kit/controls/badge'
import { Button, IconButton } from '../kit/controls/button'
import { CodeSamples } from '../kit/controls/code-samples'
import { Code } from '../kit/controls/copy'
import { DocLink } from '../kit/controls/doc-link'
import { Menu, MenuItem, MenuLine } from '../kit/controls/menu'
import { Time, useTicks } from '../kit/controls/time'
import { SecretDialog } from '../kit/dialogs/secret'
import { FilterSelect, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ListTable } from '../kit/tables/list-table'
import type { Column } from '../kit/tables/table'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { ChangeKey } from './change'
import { CreateKey } from './create'
import { RegenerateKey } from './regenerate'
import { RevokeKey } from './revoke'
import { keySamples } from './samples'
import { UsageBar } from './usage-bar'

/** Refresh interval of the rate-limit usage while the page is visible, in ms. */
const USE_MS = 5_000

const STATUSES: readonly (readonly [KeyStatusFilter, string])[] = [
  ['active', 'Active'],
  ['revoked', 'Revoked'],
  ['expired', 'Expired'],
  ['all', 'All'],
]

type DialogState = { what: 'create' } | { what: 'change' | 'regenerate' | 'revoke'; key: ApiKey }

export const Page = () => {
  // Keys expire while the page is open.
  useTicks()
  const mode = useMode()
  const mayChange = useMayChange()
  const [{ status }, setFilter] = useFilters('status')
  const [dialog, setDialog] = useState<DialogState>()
  const [created, setCreated] = useState<ApiKeyWithValue>()
  const keys = useList<ApiKey>('api-keys', '/api-keys', { mode, status })
  const use = useDashboard<RateLimitUsage>('rate-limit-usage', '/rate-limit-usage', {
    everyMs: USE_MS,
  })

  /** As it is now, so that its dialog knows what another user changes. */
  const current = (key: ApiKey) => keys.rows?.find(({ id }) => id === key.id) ?? key
  const done = () => setDialog(undefined)
  const show = (key: ApiKeyWithValue) => {
    done()
    setCreated(key)
  }
  const create = mayChange && (
    <Button variant="primary" onClick={() => setDialog({ what: 'create' })}>
      <Plus aria-hidden className="size-4" />
      Create API key
    </Button>
  )
  return (
    <Frame
      title="API keys"
      about={`API keys authenticate requests. A ${mode} key accesses ${mode} records${mode === 'live' ? ' and counts towards your plan' : ' and is free'}.`}
      actions={create}
      filters={
        <FilterSelect
          label="Status"
          value={status}
          onChange={value => setFilter('status', value === 'active' ? '' : value)}
          options={STATUSES}
        />
      }
    >
      <Card>
        <ListTable
          label="API keys"
          columns={columns(use.data, mayChange ? setDialog : undefined)}
          of={keys}
          keyOf={key => key.id}
          empty={
            status === undefined ? (
              <Empty icon={KeyRound} title={`No ${mode} API keys yet`} action={create}>
                {mayChange
                  ? 'Create a key and send it in the Authorization header of your requests. You see its value once.'
                  : 'Only members and owners can create API keys.'}
              </Empty>
            ) : (
              <Empty icon={KeyRound} title="No matching API keys">
                No {mode} API keys have this status.
              </Empty>
            )
          }
        />
      </Card>
      {dialog?.what === 'create' && <CreateKey onClose={done} onCreated={show} />}
      {dialog?.what === 'change' && <ChangeKey of={current(dialog.key)} onClose={done} />}
      {dialog?.what === 'regenerate' && (
        <RegenerateKey of={dialog.key} onClose={done} onCreated={show} />
      )}
      {dialog?.what === 'revoke' && <RevokeKey of={dialog.key} onClose={done} />}
      {created !== undefined && (
        <SecretDialog
          title={`Save the key ${created.name}`}
          secrets={[{ label: 'API key', value: created.key }]}
          ifLost="If you lose it, regenerate the key."
          onClose={() => setCreated(undefined)}
        >
          <CodeSamples label="Call the API" of={keySamples(location.origin, created.key)} />
          <p className="text-sm">
            <DocLink to="/docs">API reference</DocLink>
          </p>
        </SecretDialog>
      )}
    </Frame>
  )
}

/** Now, which can be later than when the key was read. */
const statusOf = ({ status, expires_at }: ApiKey): ApiKey['status'] =>
  status === 'active' && expires_at !== null && Date.parse(expires_at) <= Date.now()
    ? 'expired'
    : status

const columns = (
  use: RateLimitUsage | undefined,
  openDialog: ((dialog: DialogState) => void) | undefined,
): Column<ApiKey>[] => [
  {
    head: 'Name',
    cell: key => (
      <>
        <span className="block font-medium">
          <TwoLines>{key.name}</TwoLines>
        </span>
        <code className="block font-mono text-xs text-muted">{key.prefix}…</code>
        <Code>{key.id}</Code>
      </>
    ),
  },
  {
    head: 'Scopes',
    cell: key => (
      <span className="inline-flex gap-1">
        {key.scopes.map(scope => (
          <Badge key={scope}>{scope}</Badge>
        ))}
      </span>
    ),
  },
  { head: 'Status', cell: key => <Status of={statusOf(key)} /> },
  {
    head: 'Last hour',
    cell: key => <UsageBar used={use?.[key.id] ?? 0} limit={key.rate_limit} />,
  },
  { head: 'Last used', cell: key => <Time at={key.last_used_at} /> },
  { head: 'Expires', cell: key => <Time at={key.expires_at} /> },
  { head: 'Created', cell: key => <Time at={key.created_at} /> },
  {
    head: 'Actions',
    quiet: true,
    right: true,
    cell: key =>
      openDialog && key.status !== 'revoked' ? (
        <Menu
          label={`Actions for ${key.name}`}
          trigger={
            <IconButton label={`Actions for ${key.name}`}>
              <MoreHorizontal />
            </IconButton>
          }
        >
          <MenuItem icon={<Pencil />} onClick={() => openDialog({ what: 'change', key })}>
            Edit
          </MenuItem>
          <MenuItem
            icon={<RefreshCw />}
            disabled={statusOf(key) === 'expired'}
            onClick={() => openDialog({ what: 'regenerate', key })}
          >
            Regenerate
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<Trash2 />} danger onClick={() => openDialog({ what: 'revoke', key })}>
            Revoke
          </MenuItem>
        </Menu>
      ) : null,
  },
]
