import { Link } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import type { FailingHost } from '../../../webhooks/deliveries/incident'
import type { DeliveryFilterQuery } from '../deliveries/queries'
import { Button } from '../kit/controls/button'
import { Card } from '../kit/layout/page'
import { RECORD_LINK } from '../kit/link'
import { useMode } from '../mode'
import { useMayChange } from '../session/me'
import { longNameOf } from '../webhook-name/name'
import { PauseButton } from '../webhooks/pause'
import { WebhookState } from '../webhooks/state'
import { ReasonList } from './reasons'

const NUMBER = new Intl.NumberFormat('en')
const count = (n: number) => NUMBER.format(n)

/** The deliveries to redeliver: a filter and its description. */
export type RedeliveryRequest = { filter: DeliveryFilterQuery; which: string }

type Props = { of: FailingHost; hours: string; onRedeliver: (request: RedeliveryRequest) => void }

/** A failing host: reasons, webhooks and actions. */
export const Host = ({ of: failing, hours, onRedeliver }: Props) => {
  const mode = useMode()
  const mayChange = useMayChange()
  const { host, failed, retrying, reasons, webhooks } = failing
  return (
    <Card
      title={<span className="break-all">{host}</span>}
      actions={
        <span className="num shrink-0 text-sm">
          <span className={failed > 0 ? 'font-semibold text-bad' : 'text-muted'}>
            {count(failed)} failed
          </span>
          {retrying > 0 && <span className="ml-2 text-warn">{count(retrying)} retrying</span>}
        </span>
      }
    >
      <ReasonList
        of={reasons}
        all={failed + retrying}
        search={error => ({
          error,
          hours,
          ...(webhooks.length === 1 && { webhook: webhooks[0]?.id }),
        })}
      />
      <ul aria-label={`Webhooks at ${host}`} className="divide-y divide-line border-t border-line">
        {webhooks.map(webhook => (
          <li
            key={webhook.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-sm"
          >
            <span className="min-w-0 grow basis-64">
              {webhook.deleted ? (
                <span className="break-all text-muted">{longNameOf(webhook)} (deleted)</span>
              ) : (
                <Link
                  to="/$mode/webhooks/$id"
                  params={{ mode, id: webhook.id }}
                  className={`${RECORD_LINK} break-all`}
                >
                  {longNameOf(webhook)}
                </Link>
              )}
              <span className="num block text-xs text-muted">
                {count(webhook.failed)} failed, {count(webhook.retrying)} retrying
                {!webhook.enabled && `; disabled: ${webhook.disabled_reason ?? 'no reason given'}`}
              </span>
            </span>
            {!webhook.deleted && <WebhookState of={webhook} />}
            {mayChange && !webhook.deleted && (
              <span className="flex gap-2">
                <PauseButton of={webhook} />
                <Button
                  disabled={webhook.failed === 0 || !webhook.enabled}
                  aria-label={`Redeliver failed deliveries to ${longNameOf(webhook)}`}
                  onClick={() =>
                    onRedeliver({
                      filter: { webhook_id: webhook.id, status: 'FAILED', hours },
                      which: `to ${longNameOf(webhook)} that failed in this period`,
                    })
                  }
                >
                  <RotateCcw aria-hidden className="size-4" />
                  Redeliver
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
