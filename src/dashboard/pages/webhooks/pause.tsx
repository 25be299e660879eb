import { Pause, Play } from 'lucide-react'
import type { Webhook } from '../../../webhooks/endpoints/schema'
import { useChange } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toast, toastError } from '../kit/controls/toast'
import { nameOf } from '../webhook-name/name'

type Props = { of: Pick<Webhook, 'id' | 'url' | 'description' | 'paused'> }

/** Pauses or resumes a webhook, without confirmation because no delivery is lost. */
export const PauseButton = ({ of: { id, url, description, paused } }: Props) => {
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
              toast(
                paused
                  ? { title: `${name} resumed`, text: 'Waiting deliveries are sent now.' }
                  : { title: `${name} paused`, text: 'New deliveries wait until you resume it.' },
              ),
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
