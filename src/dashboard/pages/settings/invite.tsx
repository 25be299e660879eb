import { useState } from 'react'
import type { Role } from '../../../people/schema'
import { useChange } from '../api/queries'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextInput } from '../kit/forms/form'
import type { Invited, MadeLink } from './link-dialog'
import { RoleChoice } from './roles'

type Props = { onClose: () => void; onMade: (invited: Invited) => void }

export const Invite = ({ onClose, onMade }: Props) => {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const invite = useChange<MadeLink>('people', 'audit')
  const send = () =>
    invite.mutate(
      {
        method: 'POST',
        path: '/people/invitations',
        body: { role, ...(email !== '' && { email }) },
      },
      { onSuccess: link => onMade({ link, email: email || undefined }) },
    )
  return (
    <FormDialog
      title="Invite someone"
      description="You get a link to send to them. Arden itself sends no mail."
      action="Make the link"
      change={invite}
      onSubmit={send}
      onClose={onClose}
    >
      <Field label="Email" name="email" hint="When left empty, whoever has the link says theirs.">
        <TextInput autoFocus inputMode="email" value={email} onValueChange={setEmail} />
      </Field>
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}
