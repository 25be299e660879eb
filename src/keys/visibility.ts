import { type AuditContext, auditContextOf } from '../accounts/audit'
import type { Caller, Mode } from '../caller'
import { DomainError } from '../errors'

/** Whose keys, and of which modes, someone may see. */
export type KeyVisibility = { accountId: string; modes: readonly Mode[] }

/** Someone who changes keys within a reach. */
export type KeyAccess = AuditContext & KeyVisibility

export const ALL_MODES: readonly Mode[] = ['live', 'test']

/** A test key reaches test keys alone, a live key manages both (contract 3.3). */
export const keyAccessOf = (caller: Caller): KeyAccess => ({
  ...auditContextOf(caller),
  modes: caller.mode === 'live' ? ALL_MODES : ['test'],
})

/** @throws {DomainError} FORBIDDEN when a test key asks for anything live (contract 3.3). */
export const checkModeVisible = (reach: KeyVisibility, mode: Mode): void => {
  if (!reach.modes.includes(mode))
    throw new DomainError(
      'FORBIDDEN',
      `A test key cannot reach ${mode} keys. Use a live key, or leave "mode" out.`,
    )
}
