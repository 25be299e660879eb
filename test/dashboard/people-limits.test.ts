import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import { revokeLink } from '../../src/people/pending-links'
import { invitePerson } from '../../src/people/store'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'
import { runArden } from '../support/process'
import { settled } from '../support/settled'

/** The number of people of an account, and what an invitation takes from other accounts. */

const PASSWORD = 'correct horse battery'
const MAX = 1000

const arden = await useArden({ serve: true })
const visitor = person(arden.url)
const owner = person(arden.url, await sessionToken(arden))

const cliOf = (accountId: string) => ({
  accountId,
  actor: { type: 'cli' as const, id: 'tests@host', name: 'tests' },
  address: null,
})
const inviteFrom = (accountId: string, email?: string) =>
  arden.sql.begin(tx =>
    invitePerson(tx, cliOf(accountId), { role: 'owner', ...(email !== undefined && { email }) }),
  )
const useLink = ({ token }: { token: string }, email?: string) =>
  visitor('POST', '/open/link/sign-in', { token, password: PASSWORD, ...(email && { email }) })
const emailsOf = async (accountId: string) => {
  const rows = await arden.sql<{ email: string }[]>`
    SELECT email FROM people WHERE account_id = ${accountId} ORDER BY id`
  return rows.map(({ email }) => email)
}

describe('an account has at most 1,000 people', () => {
  const fill = async (people: number, password: string | null = 'joined') => {
    const accountId = await arden.newAccount()
    const ids = Array.from({ length: people }, () => newId('usr'))
    await arden.sql`
      INSERT INTO people (id, account_id, email, role, password)
      SELECT id, ${accountId}, n || '@' || ${accountId}, 'owner', ${password}
      FROM unnest(${ids}::text[]) WITH ORDINALITY AS made (id, n)`
    return accountId
  }
  const outcomes = async (made: Promise<unknown>[]) => {
    const settled = await Promise.allSettled(made)
    return settled.filter(({ status }) => status === 'fulfilled').length
  }

  test('exactly, also when links with and without an address are made at the same time', async () => {
    const accountId = await fill(MAX - 5)
    const invitations = Array.from({ length: 20 }, (_, n) =>
      inviteFrom(accountId, n % 2 === 0 ? undefined : `${n}@new.example.com`),
    )
    expect(await outcomes(invitations)).toBe(5)
    expect(await settled(inviteFrom(accountId))).toThrow(
      'The account has 1000 users, including pending invitations; the limit is 1000. Revoke an invitation that is not needed.',
    )
  })

  test('a person who exists is invited again, and a counted link is used, at the limit', async () => {
    const accountId = await fill(MAX - 1)
    const link = await inviteFrom(accountId)
    await inviteFrom(accountId, `1@${accountId}`)
    expect((await useLink(link, 'last@example.com')).status).toBe(200)
    expect(await emailsOf(accountId)).toHaveLength(MAX)
  })

  test('an invitation that was replaced, revoked or has expired makes room', async () => {
    const accountId = await fill(MAX - 1)
    await inviteFrom(accountId, 'first@example.com')
    expect(await settled(inviteFrom(accountId, 'second@example.com'))).toThrow('the limit is 1000')
    const { id } = await inviteFrom(accountId, 'first@example.com')
    await arden.sql.begin(tx => revokeLink(tx, cliOf(accountId), id))
    const expired = await inviteFrom(accountId, 'second@example.com')
    await arden.sql`UPDATE sign_in_links SET expires_at = now() WHERE id = ${expired.id}`
    expect((await useLink(await inviteFrom(accountId, 'third@example.com'))).status).toBe(200)
    expect(await emailsOf(accountId)).toHaveLength(MAX)
  })
})

describe('an address that two accounts have invited', () => {
  test('keeps both invitations, and belongs to the account whose invitation is used first', async () => {
    const email = 'wanted@example.com'
    const other = await arden.newAccount()
    const stranger = await inviteFrom(other, email)
    const { status, body } = await owner('POST', '/people/invitations', { email, role: 'member' })
    expect(status).toBe(201)
    await inviteFrom(other, email)
    const token = new URL(body.data.secret).hash.slice(1)
    expect((await useLink({ token })).status).toBe(200)
    expect(await emailsOf(other)).toEqual([])
    expect((await useLink(stranger)).status).toBe(404) // Replaced by the second one of its account.
  })

  test('and that the other account used does not end the invitation: another address can be entered', async () => {
    const email = 'taken@example.com'
    const invitation = await inviteFrom(arden.accountId, email)
    expect((await useLink(await inviteFrom(await arden.newAccount()), email)).status).toBe(200)
    const refused = await useLink(invitation)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'A user with the email address taken@example.com already exists. Enter another address, or sign in.',
    ])
    expect((await useLink(invitation, 'free@example.com')).status).toBe(200)
    expect(await emailsOf(arden.accountId)).toContain('free@example.com')
  })

  test('is joined with, whatever other address is entered', async () => {
    const invitation = await inviteFrom(arden.accountId, 'named@example.com')
    expect((await useLink(invitation, 'entered@example.com')).status).toBe(200)
    expect(await emailsOf(arden.accountId)).toContain('named@example.com')
  })

  test('and that joined it cannot, and the response does not say why', async () => {
    const email = 'joined@example.com'
    const other = await arden.newAccount()
    expect((await useLink(await inviteFrom(other, email))).status).toBe(200)
    const { status, body } = await owner('POST', '/people/invitations', { email, role: 'member' })
    expect([status, body.message]).toEqual([
      409,
      'joined@example.com cannot be invited. Use another address.',
    ])
    // The operator, who sees all accounts, reads which one.
    const invite = await runArden(
      ['users', 'invite', '--account', arden.accountId, '--email', email],
      arden.env,
    )
    expect(invite.stderr).toContain(
      `${email} is a user of the account ${other}, and a user belongs to one account.`,
    )
  })
})
