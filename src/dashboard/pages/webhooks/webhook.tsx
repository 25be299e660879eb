import { useNavigate, useParams } from '@tanstack/react-router'
import { KeyRound, MoreHorizontal, Pencil, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { WebhookHealthReport } from '../../../webhooks/endpoints/health'
import type { Webhook, WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { useDashboard, useRecord } from '../api/queries'
import { IconButton } from '../kit/controls/button'
import { Menu, MenuItem, MenuLine } from '../kit/controls/menu'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { nameOf } from '../webhook-name/name'
import { ChangeWebhook } from './change'
import { EnableWebhook } from './enable'
import { WebhookFacts } from './facts'
import { PauseButton } from './pause'
import { RecentDeliveries } from './recent'
import { RemoveWebhook } from './remove'
import { RotateSecret } from './rotate'
import { WebhookSecretDialog } from './secret-dialog'
import { SendTest, TestDelivery } from './test-delivery'

type DialogState = 'change' | 'rotate' | 'enable' | 'remove'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const { id = '' } = useParams({ strict: false })
  const {
    data: webhook,
    error,
    isGone,
    refetch,
  } = useRecord<Webhook>('webhooks', `/webhooks/${id}`)
  const health = useDashboard<WebhookHealthReport>('deliveries', '/webhook-health')
  const [dialog, setDialog] = useState<DialogState>()
  const [created, setCreated] = useState<WebhookWithSecret>()
  const [testId, setTestId] = useState<string>()
  const done = () => setDialog(undefined)
  return (
    <Frame
      title={webhook === undefined ? 'Webhook' : nameOf(webhook)}
      back={
        <Back to="/$mode/webhooks" params={{ mode }}>
          Webhooks
        </Back>
      }
      actions={
        mayChange &&
        webhook &&
        !isGone && (
          <>
            <PauseButton of={webhook} />
            <SendTest webhookId={id} onSent={sent => setTestId(sent.id)} />
            <Menu
              label="Webhook actions"
              trigger={
                <IconButton label="More actions">
                  <MoreHorizontal />
                </IconButton>
              }
            >
              <MenuItem icon={<Pencil />} onClick={() => setDialog('change')}>
                Edit
              </MenuItem>
              <MenuItem icon={<KeyRound />} onClick={() => setDialog('rotate')}>
                Rotate secret
              </MenuItem>
              <MenuItem icon={<Power />} onClick={() => setDialog('enable')}>
                {webhook.enabled ? 'Disable' : 'Enable'}
              </MenuItem>
              <MenuLine />
              <MenuItem icon={<Trash2 />} danger onClick={() => setDialog('remove')}>
                Delete
              </MenuItem>
            </Menu>
          </>
        )
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {webhook === undefined
        ? error === null && (
            <Card>
              <Skeleton />
            </Card>
          )
        : !isGone && (
            <div className="space-y-4">
              {testId !== undefined && <TestDelivery id={testId} paused={webhook.paused} />}
              <WebhookFacts of={webhook} health={health.data?.[id]} />
              <RecentDeliveries webhookId={id} />
            </div>
          )}
      {webhook && dialog === 'change' && <ChangeWebhook of={webhook} onClose={done} />}
      {webhook && dialog === 'enable' && <EnableWebhook of={webhook} onClose={done} />}
      {webhook && dialog === 'rotate' && (
        <RotateSecret
          of={webhook}
          onClose={done}
          onCreated={rotated => {
            done()
            setCreated(rotated)
          }}
        />
      )}
      {webhook && dialog === 'remove' && (
        <RemoveWebhook
          of={webhook}
          onClose={done}
          onDone={() => navigate({ to: '/$mode/webhooks', params: { mode } })}
        />
      )}
      {created !== undefined && (
        <WebhookSecretDialog
          of={created}
          title="Save the new webhook secret"
          ifLost="If you lose it, rotate it again."
          onClose={() => setCreated(undefined)}
        />
      )}
    </Frame>
  )
}
