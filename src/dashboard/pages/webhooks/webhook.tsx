import { useNavigate, useParams } from '@tanstack/react-router'
import { KeyRound, MoreHorizontal, Pencil, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { WebhookHealthReport } from '../../../webhooks/endpoints/health'
import type { Webhook, WebhookWithSecret } from '../../../webhooks/endpoints/schema'
import { useDashboard, useRecord } from '../api/queries'
import { IconButton } from '../kit/controls/button'
import { Menu, MenuItem, MenuLine } from '../kit/controls/menu'
import { SecretDialog } from '../kit/dialogs/secret'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { AllPaused } from './all-paused'
import { ChangeWebhook } from './change'
import { EnableWebhook } from './enable'
import { WebhookFacts } from './facts'
import { PauseButton } from './pause'
import { RecentDeliveries } from './recent'
import { RemoveWebhook } from './remove'
import { RotateSecret } from './rotate'
import { SendTest, TestDelivery } from './test-delivery'

type Doing = 'change' | 'rotate' | 'enable' | 'remove'

export const Page = () => {
  const mode = useMode()
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const { id = '' } = useParams({ strict: false })
  const { data: webhook, error, refetch } = useRecord<Webhook>('webhooks', `/webhooks/${id}`)
  const standing = useDashboard<WebhookHealthReport>('deliveries', '/webhook-health')
  const [doing, setDoing] = useState<Doing>()
  const [made, setMade] = useState<WebhookWithSecret>()
  const [testId, setTestId] = useState<string>()
  const done = () => setDoing(undefined)
  return (
    <Frame
      title={webhook === undefined ? 'Webhook' : new URL(webhook.url).host}
      back={
        <Back to="/$mode/webhooks" params={{ mode }}>
          Webhooks
        </Back>
      }
      actions={
        mayChange &&
        webhook && (
          <>
            <PauseButton of={webhook} />
            <SendTest webhookId={id} onSent={sent => setTestId(sent.id)} />
            <Menu
              label="What to do with the webhook"
              trigger={
                <IconButton label="More actions">
                  <MoreHorizontal />
                </IconButton>
              }
            >
              <MenuItem icon={<Pencil />} onClick={() => setDoing('change')}>
                Change
              </MenuItem>
              <MenuItem icon={<KeyRound />} onClick={() => setDoing('rotate')}>
                Rotate the secret
              </MenuItem>
              <MenuItem icon={<Power />} onClick={() => setDoing('enable')}>
                {webhook.enabled ? 'Disable' : 'Enable'}
              </MenuItem>
              <MenuLine />
              <MenuItem icon={<Trash2 />} danger onClick={() => setDoing('remove')}>
                Delete
              </MenuItem>
            </Menu>
          </>
        )
      }
    >
      {standing.data?.all_paused && <AllPaused />}
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {webhook === undefined ? (
        error === null && (
          <Card>
            <Skeleton />
          </Card>
        )
      ) : (
        <div className="space-y-4">
          {testId !== undefined && <TestDelivery id={testId} paused={webhook.paused} />}
          <WebhookFacts of={webhook} standing={standing.data?.of[id]} />
          <RecentDeliveries webhookId={id} />
        </div>
      )}
      {webhook && doing === 'change' && <ChangeWebhook of={webhook} onClose={done} />}
      {webhook && doing === 'enable' && <EnableWebhook of={webhook} onClose={done} />}
      {webhook && doing === 'rotate' && (
        <RotateSecret
          of={webhook}
          onClose={done}
          onMade={rotated => {
            done()
            setMade(rotated)
          }}
        />
      )}
      {webhook && doing === 'remove' && (
        <RemoveWebhook
          of={webhook}
          onClose={done}
          onDone={() => navigate({ to: '/$mode/webhooks', params: { mode } })}
        />
      )}
      {made !== undefined && (
        <SecretDialog
          title="The new secret"
          what="secret"
          secret={made.secret}
          lost="If it gets lost, rotate it again."
          onClose={() => setMade(undefined)}
        />
      )}
    </Frame>
  )
}
