import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import type { Actor } from '../caller'

/** The actor of a command, for the audit history: the OS user and the host (contract 3.11). */
export const cliActor = (): Actor => {
  const user = userName()
  return { type: 'cli', id: `${user}@${hostname()}`, name: user }
}

/**
 * Bun takes the name from the environment, which can have none (a container, systemd) or another one, so the list of
 * users comes first. In a container the user can have an id without a name.
 */
const userName = () => {
  const uid = String(process.getuid?.())
  const name = readUsers().find(([, , id]) => id === uid)?.[0] ?? userInfo().username
  return name === UNKNOWN ? `uid ${uid}` : name
}

/** The name that Bun returns for a user without one. */
const UNKNOWN = 'unknown'

/** The lines of /etc/passwd as their fields: name, password, user id and others. */
const readUsers = () => {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
  } catch {
    return []
  }
}
