import { Pause, Play } from 'lucide-react'
import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toast, toastError } from '../kit/controls/toast'
import { nameOf } from '../webhook-name/name'

type Props = { of: Pick<Webhook, 'id' | 'url' | 'description' | 'enabled' | 'paused'> }

/** Pauses or resumes a webhook, without confirmation because no delivery is lost: failed ones can be redelivered. */
export const PauseButton = ({ of: { id, url, description, enabled, paused } }: Props) => {
  const change = useChange<Webhook>('webhooks', 'deliveries')
  const name = nameOf({ url, description })
  const Icon = paused ? Play : Pause
  return (
    <Button
      busy={change.isPending}
      aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
      onClick={() =>
        change.mutate(
          { method: 'POST', path: `/v1/webhooks/${id}/${paused ? 'resume' : 'pause'}` },
          {
            onSuccess: () =>
              toast({
                title: `${name} ${paused ? 'resumed' : 'paused'}`,
                text: effectOf({ enabled, paused }),
              }),
            onError: error =>
              toastError(paused ? 'Webhook not resumed' : 'Webhook not paused', error),
          },
        )
      }
    >
      {!change.isPending && <Icon aria-hidden className="size-4" />}
      {paused ? 'Resume' : 'Pause'}
    </Button>
  )
}

/** What the change does to deliveries: those of a disabled webhook are not sent. */
const effectOf = ({ enabled, paused }: Pick<Webhook, 'enabled' | 'paused'>): string => {
  if (!enabled)
    return paused
      ? 'Waiting deliveries fail, because it is disabled.'
      : 'It is disabled, so new deliveries fail.'
  return paused ? 'Waiting deliveries are sent now.' : 'New deliveries wait until you resume it.'
}
