import { hostname, userInfo } from 'node:os'
import type { Actor } from '../caller'

/** Whoever types a command, for the audit history: the user of this machine, and the machine. */
export const cliActor = (): Actor => {
  const user = userName()
  return { type: 'cli', id: `${user}@${hostname()}`, name: user }
}

/** In a container the user may have a number and no name. */
const userName = () => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
