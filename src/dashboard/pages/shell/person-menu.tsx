import { Check, ChevronsUpDown, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { Menu, MenuItem, MenuLine } from '../kit/controls/menu'
import { useMe } from '../session/me'
import { useSignOut } from '../session/sign-out'
import { readTheme, setTheme, type Theme } from '../theme/theme'

const THEMES = [
  ['system', 'Match system', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const

/** The signed-in user, the theme, and signing out. */
export const PersonMenu = ({ compact = false }: { compact?: boolean }) => {
  const me = useMe()
  const [theme, show] = useState<Theme>(readTheme)
  const { signOut, question } = useSignOut()
  if (me === undefined) return null
  const { person, account } = me
  return (
    <>
      <Menu
        label="Your account"
        fixed
        trigger={
          <button
            type="button"
            className="flex w-full min-w-0 items-center gap-2.5 rounded-lg p-1.5 text-left transition-colors hover:bg-hover"
          >
            <span
              aria-hidden
              className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase"
            >
              {person.email.slice(0, 2)}
            </span>
            {compact ? (
              <span className="sr-only">{person.email}</span>
            ) : (
              <>
                <span className="min-w-0 grow">
                  <span className="block truncate text-sm leading-4 font-medium">
                    {account.name}
                  </span>
                  <span className="block truncate text-xs text-muted">{person.email}</span>
                </span>
                <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
              </>
            )}
          </button>
        }
      >
        <div className="px-2 py-1.5 text-xs text-muted">
          <span className="block max-w-56 truncate font-medium text-text">{person.email}</span>
          {person.role} of {account.name}
        </div>
        <MenuLine />
        {THEMES.map(([value, text, Icon]) => (
          <MenuItem
            key={value}
            icon={<Icon />}
            onClick={() => {
              setTheme(value)
              show(value)
            }}
          >
            <span className="grow">{text}</span>
            {theme === value && <Check aria-label="selected" />}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem icon={<LogOut />} onClick={signOut}>
          Sign out
        </MenuItem>
      </Menu>
      {question}
    </>
  )
}
