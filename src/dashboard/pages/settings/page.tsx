import { Frame } from '../kit/layout/page'
import { PlanUsage } from '../overview/plan-usage'
import { useMe } from '../session/me'
import { LanguageModels } from './language-models'
import { PendingLinks } from './links/pending-links'
import { Passkeys } from './passkeys/passkeys'
import { People } from './people'
import { RequiredSignIn } from './required-sign-in'
import { Sessions } from './sessions'
import { System } from './system'

export const Page = () => {
  const me = useMe()
  if (me === undefined) return null
  const { account, person } = me
  return (
    <Frame title="Settings" about={`Users, sessions and usage of the account ${account.name}.`}>
      <div className="space-y-4">
        <People />
        {person.role === 'owner' && <PendingLinks />}
        {person.role === 'owner' && <RequiredSignIn />}
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="space-y-4">
            <Passkeys />
            <Sessions />
          </div>
          <PlanUsage />
        </div>
        {person.role === 'owner' && <LanguageModels />}
        {person.role === 'owner' && <System />}
      </div>
    </Frame>
  )
}
