import { exactTime } from '../../kit/controls/time'
import { SecretDialog } from '../../kit/dialogs/secret'

/** `secret` is the link; a replayed response has none. `sent_to` has it in an email instead. */
export type InvitationLink = { secret?: string; sent_to?: string; expires_at: string }
/** `email` is undefined when anyone with the link can join. */
export type IssuedLink = { link: InvitationLink; email: string | undefined }

/** A sign-in link, shown once. */
export const LinkDialog = ({
  of: { link, email },
  onClose,
}: {
  of: IssuedLink
  onClose: () => void
}) => (
  <SecretDialog
    title={email === undefined ? 'Invitation link' : `The link for ${email}`}
    secrets={[{ label: 'link', value: link.secret }]}
    instructions={`Send it to ${email ?? 'the person you invite'} over a private channel: the first person to open it can sign in, once, until ${exactTime(link.expires_at)}.`}
    ifLost="If you lose it, create another one."
    onClose={onClose}
  />
)
