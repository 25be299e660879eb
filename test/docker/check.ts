import type { Client } from '../support/client'
import type { Receiver } from '../support/receiver'
import type { Operator } from './operator'

/** What the steps share. */
export type Check = {
  operator: Operator
  /** The address at which containers reach this machine. */
  machine: string
  url: string
  key: string
  api: Client
  receiver: Receiver
  /** A line of the report below the step that runs. */
  say: (line: string) => void
}
