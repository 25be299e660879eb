import { LogOut } from 'lucide-react'
import { useState } from 'react'
import type { SessionRecord } from '../../../people/schema'
import { useChange, useDashboard } from '../api/queries'
import { Badge } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { exactTime, Time } from '../kit/controls/time'
import { toast, toastError } from '../kit/controls/toast'
import { focusPageWithout } from '../kit/dialogs/return-focus'
import { Card } from '../kit/layout/page'
import { type Column, Table } from '../kit/tables/table'
import { browserOf } from './browser'
import { ChangePassword } from './change-password'
import { SignOutEverywhere } from './sign-out-everywhere'

/** The user's own sessions. */
export const Sessions = () => {
  const sessions = useDashboard<SessionRecord[]>('sessions', '/me/sessions')
  const [dialog, setDialog] = useState<'password' | 'everywhere'>()
  const end = useChange('sessions', 'audit')
  const signOut = (session: SessionRecord) => {
    // Its row goes, with the button that was pressed.
    if (document.activeElement !== null) focusPageWithout(document.activeElement)
    end.mutate(
      { method: 'DELETE', path: `/me/sessions/${session.id}` },
      {
        onSuccess: () => toast({ title: 'Session ended' }),
        onError: error => toastError('Session not ended', error),
      },
    )
  }
  const done = () => setDialog(undefined)
  return (
    <Card
      title="Your sessions"
      actions={
        <span className="flex flex-wrap gap-2">
          <Button onClick={() => setDialog('password')}>Change password</Button>
          <Button onClick={() => setDialog('everywhere')}>
            <LogOut aria-hidden className="size-4" />
            Sign out everywhere
          </Button>
        </span>
      }
    >
      <Table
        label="Your sessions"
        columns={columns(signOut, end.isPending ? end.variables?.path : undefined)}
        rows={sessions.data}
        keyOf={session => session.id}
        error={sessions.error}
        onRetry={sessions.refetch}
        empty={null}
      />
      {dialog === 'password' && <ChangePassword onClose={done} />}
      {dialog === 'everywhere' && <SignOutEverywhere onClose={done} />}
    </Card>
  )
}

const columns = (
  onEnd: (session: SessionRecord) => void,
  ending: string | undefined,
): Column<SessionRecord>[] => [
  {
    head: 'Browser',
    cell: session => (
      <span className="inline-flex flex-wrap items-center gap-1.5 font-medium">
        {browserOf(session.user_agent)}
        {session.current && <Badge tone="accent">this session</Badge>}
      </span>
    ),
  },
  { head: 'IP address', className: 'num text-muted', cell: ({ address }) => address },
  { head: 'Last seen', cell: session => <Time at={session.seen_at} /> },
  { head: 'Signed in', cell: session => <Time at={session.created_at} /> },
  {
    head: 'Actions',
    quiet: true,
    right: true,
    cell: session =>
      session.current ? null : (
        <Button
          variant="quiet"
          className="-my-1.5"
          aria-label={`Sign out ${browserOf(session.user_agent)}, signed in ${exactTime(session.created_at)}`}
          busy={ending?.endsWith(session.id) ?? false}
          onClick={() => onEnd(session)}
        >
          Sign out
        </Button>
      ),
  },
]
