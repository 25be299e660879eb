import { hostname, userInfo } from 'node:os'
import type { Actor } from '../caller'

/** The actor of a command, for the audit history: the OS user and the host (contract 3.11). */
export const cliActor = (): Actor => {
  const user = userName()
  return { type: 'cli', id: `${user}@${hostname()}`, name: user }
}

/** In a container the user can have an id without a name. */
const userName = () => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
