import type { Sql } from '../db/connect'
import { TooManyRequests } from '../errors'
import { networkOf, siteOf } from '../http/request/client-address'
import { createBlockedNetworks } from './blocked-networks'
import {
  countTries,
  type LimitKind,
  minutes,
  tooManyMails,
  triesForReset,
} from './sign-in-throttle'

/** Limits of what visitors begin without a session or a secret. Each function throws {DomainError} TOO_MANY_REQUESTS. */
export type VisitorLimits = {
  /** A request for a link that resets a password (contract 3.20), of a known or an unknown address alike. */
  countResetRequest: (request: { email: string; address: string }) => Promise<void>
  /** A sign-in with a passkey that begins (contract 3.22). */
  countChallenge: (address: string) => Promise<void>
  /** A sign-in with a provider that begins (contract 3.21). */
  countOidcStart: (address: string) => Promise<void>
  /** A call of a command line that waits for its key (contract 3.23). */
  countClaim: (address: string) => Promise<void>
}

/** While this process knows that a network or its /48 is over a limit, its requests cost no statement. */
export const createVisitorLimits = (sql: Sql): VisitorLimits => {
  const resets = limitVisitors(sql, ['resets', 'resetsOfSite'], tooManyMails)
  const tooManySignIns = (seconds: number) => tooMany('attempts to sign in', seconds)
  const challenges = limitVisitors(sql, ['challenges', 'challengesOfSite'], tooManySignIns)
  const oidcStarts = limitVisitors(sql, ['oidc', 'oidcOfSite'], tooManySignIns)
  const claims = limitVisitors(sql, ['claim', 'claimsOfSite'], seconds =>
    tooMany('sign-ins of command lines', seconds),
  )
  return {
    countResetRequest: ({ email, address }) => resets(address, triesForReset(email)),
    countChallenge: address => challenges(address),
    countOidcStart: address => oidcStarts(address),
    countClaim: address => claims(address),
  }
}

/** `others` are counted and limited together with the network and the /48 of the address. */
const limitVisitors = (
  sql: Sql,
  [ofNetwork, ofSite]: readonly [LimitKind, LimitKind],
  refusal: (seconds: number) => TooManyRequests,
) => {
  const blocked = createBlockedNetworks()
  return async (address: string, ...others: string[]): Promise<void> => {
    const origins = [
      { kind: ofNetwork, origin: networkOf(address) },
      ...[siteOf(address)].flatMap(site => site ?? []).map(origin => ({ kind: ofSite, origin })),
    ]
    const known = Math.max(...origins.map(({ origin }) => blocked.secondsLeft(origin)))
    if (known > 0) throw refusal(known)
    const subjects = origins.map(({ kind, origin }) => `${kind}:${origin}`)
    const exceeded = await countTries(sql, [...subjects, ...others])
    for (const { kind, seconds } of exceeded)
      for (const one of origins) if (one.kind === kind) blocked.block(one.origin, seconds)
    if (exceeded.length > 0) throw refusal(Math.max(...exceeded.map(({ seconds }) => seconds)))
  }
}

const tooMany = (what: string, seconds: number) =>
  new TooManyRequests(`Too many ${what}. Try again in ${minutes(seconds)}.`, seconds)
