import type { Role } from '../../../people/schema'
import { Choice, Choices } from '../kit/forms/form'

const ROLES: { [role in Role]: string } = {
  owner: 'Everything, and the people of the account.',
  member: 'Everything but the people of the account.',
  viewer: 'Sees everything, changes nothing.',
}

/** As it is written where it stands by itself. */
export const roleName = (role: Role): string => `${role.charAt(0).toUpperCase()}${role.slice(1)}`

/** A choice of one of the roles. */
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
