import type { Scope } from '../../../caller'
import { Choice, Choices } from '../kit/forms/form'

/** What a new key may do: a key that writes reads as well. */
export type Access = 'read' | 'write'

export const scopesOf = (access: Access): Scope[] =>
  access === 'write' ? ['read', 'write'] : ['read']

type Props = { access: Access; onChange: (access: Access) => void }

export const ScopeChoices = ({ access, onChange }: Props) => (
  <Choices label="Scopes" name="scopes">
    <Choice
      type="radio"
      name="scope"
      label="Read and write"
      hint="Full access to the API."
      checked={access === 'write'}
      onChange={() => onChange('write')}
    />
    <Choice
      type="radio"
      name="scope"
      label="Read only"
      hint="GET requests only."
      checked={access === 'read'}
      onChange={() => onChange('read')}
    />
  </Choices>
)
