import { useSearch } from '@tanstack/react-router'
import { CircleCheck, Terminal } from 'lucide-react'
import { useState } from 'react'
import { codeOf, isChallenge } from '../../cli-sign-in/code'
import { Empty } from '../kit/layout/empty'
import { Card, Frame } from '../kit/layout/page'
import { useMayChange } from '../session/me'
import { ApproveForm } from './approve'

const TITLE = 'Authorize the command line'

/** The page that `arden login` opens: a user approves an API key for a terminal. */
export const Page = () => {
  const { challenge = '', client = '' } = useSearch({ strict: false }) as {
    challenge?: string
    client?: string
  }
  const [isApproved, setApproved] = useState(false)
  const isComplete = isChallenge(challenge)
  const mayChange = useMayChange()
  return (
    <Frame title={TITLE}>
      <Card className="max-w-xl">
        {isApproved && (
          <Empty icon={CircleCheck} title="Approved">
            The terminal gets its key within a few seconds. You can close this page. If the terminal
            gets none, run arden login again.
          </Empty>
        )}
        {!isApproved && !isComplete && (
          <Empty icon={Terminal} title="This link is not complete">
            Run arden login in your terminal, and open the link that it prints.
          </Empty>
        )}
        {!isApproved && isComplete && !mayChange && (
          <Empty icon={Terminal} title="Viewers cannot create API keys">
            Ask an owner of the account to make you a member, then run arden login again.
          </Empty>
        )}
        {!isApproved && isComplete && mayChange && (
          <ApproveForm
            challenge={challenge}
            code={codeOf(challenge)}
            client={client.slice(0, CLIENT_MAX)}
            onApproved={() => setApproved(true)}
          />
        )}
      </Card>
    </Frame>
  )
}

/** Characters. The text is part of the link. */
const CLIENT_MAX = 80
