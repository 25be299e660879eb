import type { Generation } from '../../../content/generations/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

export const CancelGeneration = (props: { of: Generation; onClose: () => void }) => {
  const { of: generation, onClose } = props
  const cancel = useChange<Generation>('generations', 'usage')
  return (
    <Confirm
      open
      title={`Cancel the generation for ${generation.keyword}?`}
      action="Cancel generation"
      dismiss="Keep generating"
      busy={cancel.isPending}
      error={cancel.error}
      onClose={onClose}
      onConfirm={() =>
        cancel.mutate(
          { method: 'POST', path: `/v1/generations/${generation.id}/cancel` },
          {
            onSuccess: () => {
              toast({ title: 'Generation cancelled' })
              onClose()
            },
          },
        )
      }
    >
      <p>
        Finished sections stay readable on the page of the generation.{' '}
        {generation.article_id === null ? 'No article is created' : 'The article stays as it is'},
        and no event is sent.
      </p>
    </Confirm>
  )
}
