import { useState } from 'react'
import type { Role } from '../../../../people/schema'
import { useChange } from '../../api/queries'
import { FormDialog } from '../../kit/dialogs/form-dialog'
import { Field, TextInput } from '../../kit/forms/form'
import { useMe } from '../../session/me'
import { RoleChoice } from '../roles'
import type { InvitationLink, IssuedLink } from './link-dialog'

type Props = { onClose: () => void; onCreated: (issued: IssuedLink) => void }

export const Invite = ({ onClose, onCreated }: Props) => {
  const sendsMail = useMe()?.sends_mail ?? false
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const invite = useChange<InvitationLink>('people', 'audit')
  const send = () =>
    invite.mutate(
      {
        method: 'POST',
        path: '/people/invitations',
        body: { role, ...(email !== '' && { email }) },
      },
      { onSuccess: link => onCreated({ link, email: email || undefined }) },
    )
  return (
    <FormDialog
      title="Invite a user"
      description={
        sendsMail
          ? 'They get an email with a link. Without an address, you get the link to send to them.'
          : 'You get a link to send to them. Arden sends no email.'
      }
      action={sendsMail && email !== '' ? 'Send invitation' : 'Create link'}
      change={invite}
      onSubmit={send}
      onClose={onClose}
    >
      <Field
        label="Email"
        name="email"
        hint="If empty, the person who opens the link enters their own."
      >
        <TextInput autoFocus inputMode="email" value={email} onValueChange={setEmail} />
      </Field>
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}
