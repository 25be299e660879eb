import { useState } from 'react'
import type { Role } from '../../../accounts/person-record'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Field, Form, TextInput } from '../kit/form'
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
    <Dialog
      open
      sticky
      title="Invite someone"
      description="You get a link to send to them. Arden itself sends no mail."
      onClose={onClose}
    >
      <Form
        error={invite.error}
        onSubmit={send}
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={invite.isPending}>
              Make the link
            </Button>
          </Actions>
        }
      >
        <Field label="Email" name="email" hint="When left empty, whoever has the link says theirs.">
          <TextInput autoFocus inputMode="email" value={email} onValueChange={setEmail} />
        </Field>
        <RoleChoice value={role} onChange={setRole} />
      </Form>
    </Dialog>
  )
}
