import {
  KeyRound,
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
import { exactTime, Time } from '../kit/controls/time'
import { toast } from '../kit/controls/toast'
import { Card } from '../kit/layout/page'
import { type Column, Table } from '../kit/tables/table'
import { useMe } from '../session/me'
import { ChangeRole } from './change-role'
import { DisablePerson } from './disable-person'
import { EnablePerson } from './enable-person'
import { Invite } from './links/invite'
import { type IssuedLink, LinkDialog } from './links/link-dialog'
import { NewLink } from './links/new-link'
import { ResetSignIn } from './reset-sign-in'
import { roleName } from './roles'

type DialogState =
  | { what: 'invite' }
  | { what: 'role' | 'link' | 'reset' | 'disable' | 'enable'; person: Person }

/** The users of the account. Only owners change them. */
export const People = () => {
  const me = useMe()
  const isOwner = me?.person.role === 'owner'
  const people = useDashboard<Person[]>('people', '/people')
  const [dialog, setDialog] = useState<DialogState>()
  const [invited, setInvited] = useState<IssuedLink>()
  const done = () => setDialog(undefined)
  const show = (made: IssuedLink) => {
    done()
    const { sent_to, expires_at } = made.link
    if (sent_to === undefined) setInvited(made)
    else
      toast({
        title: `An email to ${sent_to} is on its way`,
        text: `Its link works once, until ${exactTime(expires_at)}.`,
      })
  }
  return (
    <Card
      title="Users"
      actions={
        isOwner && (
          <Button onClick={() => setDialog({ what: 'invite' })}>
            <UserPlus aria-hidden className="size-4" />
            Invite
          </Button>
        )
      }
    >
      <Table
        label="Users"
        columns={columns(me?.person.id, isOwner ? setDialog : undefined)}
        rows={people.data}
        keyOf={person => person.id}
        error={people.error}
        onRetry={people.refetch}
        empty={null}
      />
      {dialog?.what === 'invite' && <Invite onClose={done} onCreated={show} />}
      {dialog?.what === 'role' && <ChangeRole of={dialog.person} onClose={done} />}
      {dialog?.what === 'link' && <NewLink of={dialog.person} onClose={done} onCreated={show} />}
      {dialog?.what === 'reset' && <ResetSignIn of={dialog.person} onClose={done} />}
      {dialog?.what === 'disable' && <DisablePerson of={dialog.person} onClose={done} />}
      {dialog?.what === 'enable' && <EnablePerson of={dialog.person} onClose={done} />}
      {invited !== undefined && <LinkDialog of={invited} onClose={() => setInvited(undefined)} />}
    </Card>
  )
}

const columns = (
  own: string | undefined,
  openDialog: ((dialog: DialogState) => void) | undefined,
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
  { head: 'Last seen', cell: person => <Time at={person.last_seen_at} empty="never" /> },
  { head: 'Joined', cell: person => <Time at={person.created_at} /> },
  {
    head: 'Actions',
    quiet: true,
    right: true,
    cell: person => openDialog && <PersonActions of={person} openDialog={openDialog} />,
  },
]

type ActionsProps = { of: Person; openDialog: (dialog: DialogState) => void }

const PersonActions = ({ of: person, openDialog }: ActionsProps) => (
  <Menu
    label={`Actions for ${person.email}`}
    trigger={
      <IconButton label={`Actions for ${person.email}`}>
        <MoreHorizontal />
      </IconButton>
    }
  >
    <MenuItem icon={<UserCog />} onClick={() => openDialog({ what: 'role', person })}>
      Change role
    </MenuItem>
    {person.status === 'disabled' ? (
      <MenuItem icon={<UserRoundCheck />} onClick={() => openDialog({ what: 'enable', person })}>
        Enable
      </MenuItem>
    ) : (
      <>
        <MenuItem icon={<LinkIcon />} onClick={() => openDialog({ what: 'link', person })}>
          {person.status === 'invited' ? 'New invitation' : 'Reset password'}
        </MenuItem>
        <MenuItem icon={<KeyRound />} onClick={() => openDialog({ what: 'reset', person })}>
          Reset sign-in
        </MenuItem>
        <MenuLine />
        <MenuItem
          icon={<UserRoundX />}
          danger
          onClick={() => openDialog({ what: 'disable', person })}
        >
          Disable
        </MenuItem>
      </>
    )}
  </Menu>
)
