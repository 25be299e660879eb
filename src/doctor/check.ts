import { isLibraryNotLoaded } from '../temporal/library'

/** One line of `arden doctor`, and of the system page of the dashboard. Contains no secret. */
export type CheckResult = {
  name: string
  status: 'ok' | 'warn' | 'fail'
  /** The finding, in a sentence. */
  found: string
  /** The next step for the operator. */
  todo?: string
}

export type Finding = Omit<CheckResult, 'name'>
/** Checks by name. If one throws or hangs, the others still run. */
export type Checks = Record<string, () => Promise<Finding>>

export const ok = (found: string): Finding => ({ status: 'ok', found })
/** A warning: the part works, but needs attention. */
export const warn = (found: string, todo: string): Finding => ({ status: 'warn', found, todo })
/** A failure: the part does not work, or soon will not. */
export const fail = (found: string, todo: string): Finding => ({ status: 'fail', found, todo })

/** After what one of several lacks, such as a worker. */
export const andOthers = (count: number): string => {
  if (count === 0) return ''
  return count === 1 ? ', and neither does one other' : `, and neither do ${count} others`
}

/** Maximum time of a check, in ms. Longer than the connect timeout. */
const CHECK_TIMEOUT_MS = 8_000

/**
 * Runs all checks concurrently, within 8 s. A check that fails because one of `bases` failed refers to that
 * one instead of repeating its reason.
 */
export const runChecks = async (checks: Checks, ...bases: string[]): Promise<CheckResult[]> => {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ...(await runCheck(check)) })),
  )
  const basis = bases.find(base => results.some(it => it.name === base && it.status === 'fail'))
  return results.map(result =>
    basis !== undefined && result.name !== basis && result.found.startsWith(NOT_CHECKED)
      ? { ...result, ...skipped(basis) }
      : result,
  )
}

const NOT_CHECKED = 'Not checked'

/** The finding of a check that needs another one, which failed. */
export const skipped = (basis: string): Finding => fail(`${NOT_CHECKED}.`, `See "${basis}" above.`)

const runCheck = async (check: () => Promise<Finding>): Promise<Finding> => {
  const timeout = Promise.withResolvers<Finding>()
  const timer = setTimeout(
    () =>
      timeout.resolve(
        fail(
          `${NOT_CHECKED}: no response within ${CHECK_TIMEOUT_MS / 1000} s.`,
          'Check the network and the server.',
        ),
      ),
    CHECK_TIMEOUT_MS,
  )
  try {
    return await Promise.race([check(), timeout.promise])
  } catch (error) {
    return fail(`${NOT_CHECKED}: ${describeCause(error)}.`, 'Fix that and run the command again.')
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The message of an error, or of its cause. Drivers put neither passwords nor keys into messages.
 */
export const describeCause = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (isLibraryNotLoaded(error)) return error.message.replace(/\.$/, '')
  if (error.cause instanceof Error) return describeCause(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0)
    return describeCause(error.errors[0])
  const text = error.message.match(/message: "([^"]+)"/)?.[1] ?? error.message
  const code = 'code' in error && text === '' ? String(error.code) : text
  return code.replace(BUN_ADVICE, '').replace(/\.$/, '')
}

/** Bun's question after the error of a connection, to programmers. */
const BUN_ADVICE = / Is the computer able to access the url\?$/
