/** One line of `arden doctor`, and of the dashboard's state of the system. Holds no secret. */
export type Check = {
  name: string
  status: 'ok' | 'warn' | 'fail'
  /** What was found, in words. */
  found: string
  /** What to do about it, where there is something to do. */
  todo?: string
}

export type Finding = Omit<Check, 'name'>
/** What is looked at, by name. One may throw, or take for ever: the others are made all the same. */
export type Looks = Record<string, () => Promise<Finding>>

export const ok = (found: string): Finding => ({ status: 'ok', found })
/** Everything works, and somebody should know. */
export const warn = (found: string, todo: string): Finding => ({ status: 'warn', found, todo })
/** Something does not work, or will not. */
export const fail = (found: string, todo: string): Finding => ({ status: 'fail', found, todo })

/** Longest a look may take, in ms: longer than the longest wait for a connection. */
const LIMIT_MS = 8_000

/**
 * Makes all looks at the same time, in at most 8 s. What rests on a look that failed (the first such of
 * `bases`, by name) points to that one, instead of telling the same reason again.
 */
export const runLooks = async (looks: Looks, ...bases: string[]): Promise<Check[]> => {
  const checks = await Promise.all(
    Object.entries(looks).map(async ([name, look]) => ({ name, ...(await bounded(look)) })),
  )
  const basis = bases.find(base => checks.some(it => it.name === base && it.status === 'fail'))
  return checks.map(check =>
    basis !== undefined && check.name !== basis && check.found.startsWith(NOT_MADE)
      ? { ...check, ...notMade(basis) }
      : check,
  )
}

const NOT_MADE = 'This could not be checked'

/** For want of what another look found missing. */
export const notMade = (basis: string): Finding => fail(`${NOT_MADE}.`, `See "${basis}" above.`)

const bounded = async (look: () => Promise<Finding>): Promise<Finding> => {
  const late = Promise.withResolvers<Finding>()
  const timer = setTimeout(
    () =>
      late.resolve(
        fail(
          `${NOT_MADE}: no answer within ${LIMIT_MS / 1000} s.`,
          'Check the network, and what runs there.',
        ),
      ),
    LIMIT_MS,
  )
  try {
    return await Promise.race([look(), late.promise])
  } catch (error) {
    return fail(`${NOT_MADE}: ${reasonOf(error)}.`, 'Put that right, and run this again.')
  } finally {
    clearTimeout(timer)
  }
}

/** The sentence of an error, or what lies under it; drivers put neither password nor key into theirs. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const text = error.message.match(/message: "([^"]+)"/)?.[1] ?? error.message
  const code = 'code' in error && text === '' ? String(error.code) : text
  return code.replace(/\.$/, '')
}
