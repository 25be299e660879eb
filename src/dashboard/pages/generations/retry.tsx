import { RotateCw } from 'lucide-react'
import type { Generation } from '../../../content/generations/schema'
import { useChange } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toast, toastError } from '../kit/controls/toast'

/** Goes on with the steps of a failed generation that are not finished. */
export const RetryGeneration = ({ of: { id } }: { of: Generation }) => {
  const retry = useChange<Generation>('generations', 'usage')
  return (
    <Button
      variant="primary"
      busy={retry.isPending}
      onClick={() =>
        retry.mutate(
          { method: 'POST', path: `/v1/generations/${id}/retry` },
          {
            onSuccess: () => toast({ title: 'Generation queued again' }),
            onError: error => toastError('The generation was not retried', error),
          },
        )
      }
    >
      <RotateCw aria-hidden className="size-4" />
      Retry
    </Button>
  )
}

/** A retry would find again what a required check found, and needs the keyword. */
export const mayRetry = ({ status, error, keyword_id }: Generation): boolean =>
  status === 'FAILED' && error?.code !== 'check_failed' && keyword_id !== null
