import type { Person } from '../../../people/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { Confirm } from '../kit/dialogs/confirm'

export const EnablePerson = ({ of: person, onClose }: { of: Person; onClose: () => void }) => {
  const enable = useChange<Person>('people', 'audit')
  return (
    <Confirm
      open
      danger={false}
      title={`Enable ${person.email}?`}
      action="Enable"
      busy={enable.isPending}
      error={enable.error}
      onClose={onClose}
      onConfirm={() =>
        enable.mutate(
          { method: 'PATCH', path: `/people/${person.id}`, body: { disabled: false } },
          {
            onSuccess: () => {
              toast({ title: `${person.email} enabled` })
              onClose()
            },
          },
        )
      }
    >
      <p>They can sign in again as {person.role}, with the same password.</p>
    </Confirm>
  )
}
