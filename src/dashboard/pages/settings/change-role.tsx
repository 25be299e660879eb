import { useState } from 'react'
import type { Person } from '../../../people/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useMe } from '../session/me'
import { RoleChoice } from './roles'

export const ChangeRole = ({ of: person, onClose }: { of: Person; onClose: () => void }) => {
  const isOwn = useMe()?.person.id === person.id
  const [role, setRole] = useState(person.role)
  const change = useChange<Person>('people', 'me', 'audit')
  const send = () =>
    change.mutate(
      { method: 'PATCH', path: `/people/${person.id}`, body: { role } },
      {
        onSuccess: changed => {
          toast({
            title: `Role of ${changed.email} changed to ${changed.role}`,
            text: 'The change applies from their next request.',
          })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title={`Change the role of ${person.email}`}
      action="Save"
      change={change}
      onSubmit={send}
      onClose={onClose}
    >
      <RoleChoice value={role} onChange={setRole} />
      {isOwn && role !== person.role && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
          This is your own role. Afterwards, only another owner can change it back.
        </p>
      )}
    </FormDialog>
  )
}
