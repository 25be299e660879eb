import { type AuditContext, auditContextOf } from '../accounts/audit'
import type { Caller, Mode } from '../caller'
import { DomainError } from '../errors'

/** The account and the modes whose keys are visible. */
export type KeyVisibility = { accountId: string; modes: readonly Mode[] }

/** Visible keys, and the actor for the audit history of their changes. */
export type KeyAccess = AuditContext & KeyVisibility

export const ALL_MODES: readonly Mode[] = ['live', 'test']

/** A test key has access to test keys only, a live key to the keys of both modes (contract 3.3). */
export const keyAccessOf = (caller: Caller): KeyAccess => ({
  ...auditContextOf(caller),
  modes: caller.mode === 'live' ? ALL_MODES : ['test'],
})

/** @throws {DomainError} FORBIDDEN when a test key requests `mode: "live"` (contract 3.3). */
export const checkModeVisible = ({ modes }: KeyVisibility, mode: Mode): void => {
  if (!modes.includes(mode))
    throw new DomainError(
      'FORBIDDEN',
      `A test key has no access to ${mode} keys. Use a live key, or leave "mode" out.`,
    )
}
