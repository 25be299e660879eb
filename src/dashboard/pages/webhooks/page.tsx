import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import type { Mode } from '../../../caller'
import type { WebhookHealthReport } from '../../../webhooks/endpoints/health'
import type { Webhook, WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { useDashboard, useList } from '../api/queries'
import { Button } from '../kit/controls/button'
import { Time } from '../kit/controls/time'
import { FilterSearch, toSearch, useFilters } from '../kit/forms/filters'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { TwoLines } from '../kit/layout/two-lines'
import { ROW_LINK } from '../kit/link'
import { ListTable } from '../kit/tables/list-table'
import type { Column } from '../kit/tables/table'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { subscriptionTexts } from '../webhook-name/name'
import { CreateWebhook } from './create'
import { WebhookSecretDialog } from './secret-dialog'
import { WebhookState } from './state'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<WebhookWithSecret>()
  const [{ search }, setFilter] = useFilters('search')
  const webhooks = useList<Webhook>('webhooks', '/webhooks', { search: toSearch(search) })
  const health = useDashboard<WebhookHealthReport>('deliveries', '/webhook-health')
  const create = mayChange && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden className="size-4" />
      Create webhook
    </Button>
  )
  return (
    <Frame
      title="Webhooks"
      about={`Endpoints that receive signed events about ${mode} records.`}
      actions={create}
      filters={
        (search !== undefined || (webhooks.rows?.length ?? 0) > 0) && (
          <FilterSearch
            members="URL or description"
            value={search}
            onChange={value => setFilter('search', value)}
          />
        )
      }
    >
      <Card>
        <ListTable
          label="Webhooks"
          columns={columns(mode, health.data)}
          of={webhooks}
          keyOf={({ id }) => id}
          empty={
            search !== undefined ? (
              <Empty icon={WebhookIcon} title="No matching webhooks">
                No {mode} webhooks match this search.
              </Empty>
            ) : (
              <Empty icon={WebhookIcon} title={`No ${mode} webhooks yet`} action={create}>
                {mayChange
                  ? 'Add the URL of your endpoint, and choose the events to send. Failed deliveries are retried.'
                  : 'Only members and owners can create webhooks.'}
              </Empty>
            )
          }
        />
      </Card>
      {isCreating && (
        <CreateWebhook
          onClose={() => setCreating(false)}
          onCreated={webhook => {
            setCreating(false)
            setCreated(webhook)
          }}
        />
      )}
      {created !== undefined && (
        <WebhookSecretDialog
          of={created}
          title="Save the webhook secret"
          ifLost="If you lose it, rotate the secret."
          onClose={() => {
            setCreated(undefined)
            navigate({ to: '/$mode/webhooks/$id', params: { mode, id: created.id } })
          }}
        />
      )}
    </Frame>
  )
}

const columns = (mode: Mode, health: WebhookHealthReport | undefined): Column<Webhook>[] => [
  {
    head: 'Webhook',
    className: 'max-w-96',
    cell: ({ id, url, description }) => (
      <>
        <Link to="/$mode/webhooks/$id" params={{ mode, id }} className={ROW_LINK}>
          <TwoLines>{description || url}</TwoLines>
        </Link>
        {description && (
          <span className="block text-xs text-muted">
            <TwoLines>{url}</TwoLines>
          </span>
        )}
      </>
    ),
  },
  { head: 'Status', cell: webhook => <WebhookState of={webhook} /> },
  {
    head: 'Events',
    cell: ({ events }) => {
      const texts = subscriptionTexts(events)
      return (
        <span title={texts.join(', ')}>{texts.length === 1 ? texts : `${texts.length} types`}</span>
      )
    },
  },
  {
    head: 'Failed, last hour',
    right: true,
    cell: ({ id }) => <Count of={health?.[id]?.failed} tone="text-bad" />,
  },
  {
    head: 'Waiting',
    right: true,
    cell: ({ id }) => <Count of={health?.[id]?.retrying} tone="text-warn" />,
  },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
]

const NUMBER = new Intl.NumberFormat('en')

const Count = ({ of: count, tone }: { of: number | undefined; tone: string }) =>
  count === undefined ? (
    <span className="text-faint">…</span>
  ) : (
    <span className={count > 0 ? tone : 'text-faint'}>{NUMBER.format(count)}</span>
  )
