import { useState } from 'react'
import type { Person } from '../../../accounts/person-record'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Form } from '../kit/form'
import { toast } from '../kit/toast'
import { RoleChoice } from './roles'

export const ChangeRole = ({ of: person, onClose }: { of: Person; onClose: () => void }) => {
  const [role, setRole] = useState(person.role)
  const change = useChange<Person>('people', 'me', 'audit')
  const send = () =>
    change.mutate(
      { method: 'PATCH', path: `/people/${person.id}`, body: { role } },
      {
        onSuccess: changed => {
          toast({
            title: `${changed.email} is ${changed.role}`,
            text: 'It holds for their next request.',
          })
          onClose()
        },
      },
    )
  return (
    <Dialog open title={`The role of ${person.email}`} onClose={onClose}>
      <Form
        error={change.error}
        onSubmit={send}
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending}>
              Save
            </Button>
          </Actions>
        }
      >
        <RoleChoice value={role} onChange={setRole} />
      </Form>
    </Dialog>
  )
}
