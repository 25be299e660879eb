import type { Person } from '../../../people/schema'
import { useChange } from '../api/queries'
import { Confirm } from '../kit/dialogs/confirm'
import type { Invited, MadeLink } from './link-dialog'

type Props = { of: Person; onClose: () => void; onMade: (invited: Invited) => void }

/** Another link for someone who is in the account: with it they choose a password. */
export const NewLink = ({ of: person, onClose, onMade }: Props) => {
  const invite = useChange<MadeLink>('people', 'audit')
  const { email, role, status } = person
  return (
    <Confirm
      open
      danger={false}
      title={status === 'invited' ? `Invite ${email} again?` : `A new password for ${email}?`}
      action="Make the link"
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onConfirm={() =>
        invite.mutate(
          { method: 'POST', path: '/people/invitations', body: { email, role } },
          { onSuccess: link => onMade({ link, email }) },
        )
      }
    >
      <p>
        You get a link to send to them, with which they choose a password. Links that were made for
        them before stop working
        {status === 'invited'
          ? '.'
          : '. Their present password and sessions hold until the link is used.'}
      </p>
    </Confirm>
  )
}
