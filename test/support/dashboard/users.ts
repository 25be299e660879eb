import { expect } from 'bun:test'
import { invitePerson } from '../../../src/people/store'
import { type Arden, useArden } from '../arden'
import { type Person, person, tokenOf } from '../http/person'

export const PASSWORD = 'correct horse battery'

type Users = {
  arden: Arden
  /** A browser without a session. */
  anonymous: Person
  /** The author of changes that a test makes itself. */
  audit: Parameters<typeof invitePerson>[1]
  invite: (email?: string, role?: 'owner' | 'member' | 'viewer') => ReturnType<typeof invitePerson>
  /** Invites a user who chooses `PASSWORD`. Returns the user's session. */
  member: (email: string) => Promise<Person>
  signIn: (email: string, password?: string, as?: Person) => ReturnType<Person>
  /** The actions of a user in the audit history. */
  actionsOf: (email: string) => Promise<string[]>
}

/** Arden with users who sign in by password, stopped after the tests of the file. */
export const useUsers = async (): Promise<Users> => {
  const arden = await useArden({ serve: true })
  const anonymous = person(arden.url)
  const audit = {
    accountId: arden.accountId,
    actor: { type: 'cli' as const, id: 'tests', name: 'tests' },
    address: null,
  }
  const invite: Users['invite'] = (email, role = 'member') =>
    arden.sql.begin(tx => invitePerson(tx, audit, email === undefined ? { role } : { email, role }))
  return {
    arden,
    anonymous,
    audit,
    invite,
    member: async email => {
      const { token } = await invite(email)
      const response = await anonymous('POST', '/open/link/sign-in', { token, password: PASSWORD })
      expect(response.status).toBe(200)
      return person(arden.url, tokenOf(response))
    },
    signIn: (email, password = PASSWORD, as = anonymous) =>
      as('POST', '/open/sign-in', { email, password }),
    actionsOf: async email => {
      const rows = await arden.sql<{ action: string }[]>`
        SELECT action FROM audit_entries WHERE actor_name = ${email} ORDER BY id`
      return rows.map(({ action }) => action)
    },
  }
}
