import { exactTime } from '../kit/controls/time'
import { SecretDialog } from '../kit/dialogs/secret'

/** `secret` is the link; a repeated answer is without it. */
export type MadeLink = { secret?: string; expires_at: string }
/** `email` is undefined where the link lets in whoever has it. */
export type Invited = { link: MadeLink; email: string | undefined }

/** The link that lets someone in, shown once. */
export const LinkDialog = ({
  of: { link, email },
  onClose,
}: {
  of: Invited
  onClose: () => void
}) => (
  <SecretDialog
    title={email === undefined ? 'The link of the invitation' : `The link for ${email}`}
    what="link"
    secret={link.secret}
    keep={`Send it to ${email ?? 'the person you invite'} in a way that others cannot read: it lets in whoever opens it first, once, until ${exactTime(link.expires_at)}.`}
    lost="If it gets lost, make another one."
    onClose={onClose}
  />
)
