/** One line of `arden doctor`, and of the dashboard's state of the system. Holds no secret. */
export type CheckResult = {
  name: string
  status: 'ok' | 'warn' | 'fail'
  /** What was found, in words. */
  found: string
  /** What to do about it, where there is something to do. */
  todo?: string
}

export type Finding = Omit<CheckResult, 'name'>
/** What is looked at, by name. One may throw, or take for ever: the others are made all the same. */
export type Checks = Record<string, () => Promise<Finding>>

export const ok = (found: string): Finding => ({ status: 'ok', found })
/** Everything works, and somebody should know. */
export const warn = (found: string, todo: string): Finding => ({ status: 'warn', found, todo })
/** Something does not work, or will not. */
export const fail = (found: string, todo: string): Finding => ({ status: 'fail', found, todo })

/** Longest a look may take, in ms: longer than the longest wait for a connection. */
const CHECK_TIMEOUT_MS = 8_000

/**
 * Makes all looks at the same time, in at most 8 s. What rests on a look that failed (the first such of
 * `bases`, by name) points to that one, instead of telling the same reason again.
 */
export const runChecks = async (looks: Checks, ...bases: string[]): Promise<CheckResult[]> => {
  const checks = await Promise.all(
    Object.entries(looks).map(async ([name, look]) => ({ name, ...(await runCheck(look)) })),
  )
  const basis = bases.find(base => checks.some(it => it.name === base && it.status === 'fail'))
  return checks.map(check =>
    basis !== undefined && check.name !== basis && check.found.startsWith(NOT_CHECKED)
      ? { ...check, ...skipped(basis) }
      : check,
  )
}

const NOT_CHECKED = 'This could not be checked'

/** For want of what another look found missing. */
export const skipped = (basis: string): Finding => fail(`${NOT_CHECKED}.`, `See "${basis}" above.`)

const runCheck = async (look: () => Promise<Finding>): Promise<Finding> => {
  const late = Promise.withResolvers<Finding>()
  const timer = setTimeout(
    () =>
      late.resolve(
        fail(
          `${NOT_CHECKED}: no answer within ${CHECK_TIMEOUT_MS / 1000} s.`,
          'Check the network, and what runs there.',
        ),
      ),
    CHECK_TIMEOUT_MS,
  )
  try {
    return await Promise.race([look(), late.promise])
  } catch (error) {
    return fail(`${NOT_CHECKED}: ${describeCause(error)}.`, 'Put that right, and run this again.')
  } finally {
    clearTimeout(timer)
  }
}

/** The sentence of an error, or what lies under it; drivers put neither password nor key into theirs. */
export const describeCause = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return describeCause(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0)
    return describeCause(error.errors[0])
  const text = error.message.match(/message: "([^"]+)"/)?.[1] ?? error.message
  const code = 'code' in error && text === '' ? String(error.code) : text
  return code.replace(/\.$/, '')
}
