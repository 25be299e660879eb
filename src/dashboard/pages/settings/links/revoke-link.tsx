import type { PendingLink } from '../../../../people/schema'
import { useChange } from '../../api/queries'
import { toast } from '../../kit/controls/toast'
import { Confirm } from '../../kit/dialogs/confirm'

export const RevokeLink = ({ of: link, onClose }: { of: PendingLink; onClose: () => void }) => {
  const revoke = useChange('people', 'audit')
  return (
    <Confirm
      open
      title={link.email === null ? 'Revoke this link?' : `Revoke the link for ${link.email}?`}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() =>
        revoke.mutate(
          { method: 'DELETE', path: `/people/links/${link.id}` },
          {
            onSuccess: () => {
              toast({ title: 'Link revoked' })
              onClose()
            },
          },
        )
      }
    >
      <p>This link can no longer be used to sign in. You can create another one at any time.</p>
    </Confirm>
  )
}
