import type { Person } from '../../../../people/schema'
import { useChange } from '../../api/queries'
import { Confirm } from '../../kit/dialogs/confirm'
import { useMe } from '../../session/me'
import type { InvitationLink, IssuedLink } from './link-dialog'

type Props = { of: Person; onClose: () => void; onCreated: (issued: IssuedLink) => void }

/** A new link for a user of the account, to set a password. */
export const NewLink = ({ of: person, onClose, onCreated }: Props) => {
  const invite = useChange<InvitationLink>('people', 'audit')
  const { email, role, status } = person
  const sendsMail = useMe()?.sends_mail ?? false
  return (
    <Confirm
      open
      danger={false}
      title={status === 'invited' ? `Invite ${email} again?` : `Reset the password of ${email}?`}
      action={sendsMail ? 'Send email' : 'Create link'}
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onConfirm={() =>
        invite.mutate(
          { method: 'POST', path: '/people/invitations', body: { email, role } },
          { onSuccess: link => onCreated({ link, email }) },
        )
      }
    >
      <p>
        {sendsMail ? 'They get an email with a link' : 'You get a link to send to them'}, with which
        they choose a password. Their earlier links stop working
        {status === 'invited'
          ? '.'
          : '. Their current password and sessions stay valid until the link is used.'}
      </p>
    </Confirm>
  )
}
