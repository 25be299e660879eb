import type { Role } from '../../../people/schema'
import { Choice, Choices } from '../kit/forms/form'

const ROLES: { [role in Role]: string } = {
  owner: 'Full access, including users.',
  member: 'Full access, except users.',
  viewer: 'Read-only access.',
}

/** The capitalized name of a role. */
export const roleName = (role: Role): string => `${role.charAt(0).toUpperCase()}${role.slice(1)}`

/** Selects a role. */
export const RoleChoice = ({
  value,
  onChange,
}: {
  value: Role
  onChange: (role: Role) => void
}) => (
  <Choices label="Role" name="role">
    {(Object.keys(ROLES) as Role[]).map(role => (
      <Choice
        key={role}
        type="radio"
        name="role"
        label={roleName(role)}
        hint={ROLES[role]}
        checked={value === role}
        onChange={() => onChange(role)}
      />
    ))}
  </Choices>
)
