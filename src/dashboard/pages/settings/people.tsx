import {
  Link as LinkIcon,
  MoreHorizontal,
  UserCog,
  UserPlus,
  UserRoundCheck,
  UserRoundX,
} from 'lucide-react'
import { useState } from 'react'
import type { Person } from '../../../people/schema'
import { useDashboard } from '../api/queries'
import { Badge, Status } from '../kit/controls/badge'
import { Button, IconButton } from '../kit/controls/button'
import { Menu, MenuItem, MenuLine } from '../kit/controls/menu'
import { Time } from '../kit/controls/time'
import { Card } from '../kit/layout/page'
import { type Column, Table } from '../kit/tables/table'
import { useMe } from '../session/me'
import { ChangeRole } from './change-role'
import { DisablePerson } from './disable-person'
import { EnablePerson } from './enable-person'
import { Invite } from './invite'
import { type Invited, LinkDialog } from './link-dialog'
import { NewLink } from './new-link'
import { roleName } from './roles'

type Doing = { what: 'invite' } | { what: 'role' | 'link' | 'disable' | 'enable'; person: Person }

/** Who may sign in. Everyone sees them, owners change them. */
export const People = () => {
  const me = useMe()
  const isOwner = me?.person.role === 'owner'
  const people = useDashboard<Person[]>('people', '/people')
  const [doing, setDoing] = useState<Doing>()
  const [invited, setInvited] = useState<Invited>()
  const done = () => setDoing(undefined)
  const show = (made: Invited) => {
    done()
    setInvited(made)
  }
  return (
    <Card
      title="People"
      actions={
        isOwner && (
          <Button onClick={() => setDoing({ what: 'invite' })}>
            <UserPlus aria-hidden className="size-4" />
            Invite
          </Button>
        )
      }
    >
      <Table
        label="People"
        columns={columns(me?.person.id, isOwner ? setDoing : undefined)}
        rows={people.data}
        keyOf={person => person.id}
        error={people.error}
        onRetry={people.refetch}
        empty={null}
      />
      {doing?.what === 'invite' && <Invite onClose={done} onMade={show} />}
      {doing?.what === 'role' && <ChangeRole of={doing.person} onClose={done} />}
      {doing?.what === 'link' && <NewLink of={doing.person} onClose={done} onMade={show} />}
      {doing?.what === 'disable' && <DisablePerson of={doing.person} onClose={done} />}
      {doing?.what === 'enable' && <EnablePerson of={doing.person} onClose={done} />}
      {invited !== undefined && <LinkDialog of={invited} onClose={() => setInvited(undefined)} />}
    </Card>
  )
}

const columns = (
  own: string | undefined,
  onDo: ((doing: Doing) => void) | undefined,
): Column<Person>[] => [
  {
    head: 'Email',
    cell: person => (
      <span className="inline-flex flex-wrap items-center gap-1.5 font-medium break-all">
        {person.email}
        {person.id === own && <Badge>you</Badge>}
      </span>
    ),
  },
  { head: 'Role', cell: ({ role }) => roleName(role) },
  { head: 'Status', cell: person => <Status of={person.status} /> },
  { head: 'Last seen', cell: person => <Time at={person.last_seen_at} empty="not lately" /> },
  { head: 'Since', cell: person => <Time at={person.created_at} /> },
  {
    head: 'Actions',
    quiet: true,
    right: true,
    cell: person => onDo && <PersonActions of={person} onDo={onDo} />,
  },
]

type ActionsProps = { of: Person; onDo: (doing: Doing) => void }

const PersonActions = ({ of: person, onDo }: ActionsProps) => (
  <Menu
    label={`What to do with ${person.email}`}
    trigger={
      <IconButton label={`Actions for ${person.email}`}>
        <MoreHorizontal />
      </IconButton>
    }
  >
    <MenuItem icon={<UserCog />} onClick={() => onDo({ what: 'role', person })}>
      Change the role
    </MenuItem>
    {person.status === 'disabled' ? (
      <MenuItem icon={<UserRoundCheck />} onClick={() => onDo({ what: 'enable', person })}>
        Enable
      </MenuItem>
    ) : (
      <>
        <MenuItem icon={<LinkIcon />} onClick={() => onDo({ what: 'link', person })}>
          {person.status === 'invited' ? 'New invitation' : 'Link for a new password'}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<UserRoundX />} danger onClick={() => onDo({ what: 'disable', person })}>
          Disable
        </MenuItem>
      </>
    )}
  </Menu>
)
