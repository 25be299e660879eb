import { MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { IconButton } from './button'
import { Menu, MenuItem, MenuLine } from './menu'

type Props = {
  /** Its title or name. */
  name: string
  onChange: () => void
  onDelete: () => void
}

/** The menu of a record that can be changed and deleted. */
export const ChangeMenu = ({ name, onChange, onDelete }: Props) => (
  <Menu
    label={`Actions for ${name}`}
    trigger={
      <IconButton label={`Actions for ${name}`}>
        <MoreHorizontal />
      </IconButton>
    }
  >
    <MenuItem icon={<Pencil />} onClick={onChange}>
      Edit
    </MenuItem>
    <MenuLine />
    <MenuItem icon={<Trash2 />} danger onClick={onDelete}>
      Delete
    </MenuItem>
  </Menu>
)
