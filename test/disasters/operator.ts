import { quietPort } from '../support/network/quiet-ports'
import { shows } from '../support/operations/fences'
import { closeTerminal, openShell } from '../support/operations/terminals'
import { type Block, DOCUMENT, operatorBlocks } from './document'
import { installPrograms } from './programs'

/** Follows the document: types its blocks into one shell, and compares what they print. */
export type Operator = {
  /** Port of a second PostgreSQL: 5433 in the document. */
  secondPort: number
  /** Sets variables of the shell. */
  set: (variables: Record<string, string>) => Promise<void>
  /** Types a block. Returns what it printed. @throws when a command fails or prints something else. */
  follow: (name: string) => Promise<string>
  /** Types what is in no document. */
  type: (commands: string) => Promise<string>
  /** Names of the blocks that were typed. */
  followed: Set<string>
  close: () => Promise<void>
}

/** A block that only reads is typed again until it prints what the document shows, for this long, in ms. */
const SHOWN_WITHIN_MS = 60_000
const READ_AGAIN_MS = 500
const READS = /^(psql "\$\w+" \\?\s*--command="SELECT [^;]*"\s*)+$/

/** The shell of an operator on this machine. Prints each command, what it printed and how long it took. */
export const startOperator = async (
  dir: string,
  say: (line: string) => void,
): Promise<Operator> => {
  const blocks = await operatorBlocks()
  const shell = openShell({
    cwd: dir,
    env: { PATH: await installPrograms(dir), HOME: dir, TZ: 'UTC', LC_ALL: 'C.UTF-8' },
  })
  const secondPort = await quietPort()
  const followed = new Set<string>()

  const typeUntilShown = async ({ commands, shown = '' }: Block) => {
    const typed = commands.replaceAll('5433', String(secondPort))
    const until = performance.now() + (READS.test(commands) ? SHOWN_WITHIN_MS : 0)
    for (;;) {
      const printed = await shell.type(typed)
      if (shows(printed, shown)) return printed
      if (performance.now() > until)
        throw new Error(`${DOCUMENT} shows\n${shown}\nbut there is\n${printed}`)
      await Bun.sleep(READ_AGAIN_MS)
    }
  }
  return {
    secondPort,
    followed,
    type: shell.type,
    set: async variables => {
      for (const [name, value] of Object.entries(variables))
        await shell.type(`export ${name}='${value}'`)
    },
    follow: async name => {
      const block = blocks.find(one => one.name === name)
      if (block === undefined) throw new Error(`${DOCUMENT} has no block "sh operator ${name}"`)
      for (const line of block.commands.split('\n')) say(`$ ${line}`)
      const began = performance.now()
      const printed = await typeUntilShown(block)
      followed.add(name)
      for (const line of printed.trimEnd().split('\n')) say(`  ${line}`)
      say(`  (${name}: ${((performance.now() - began) / 1000).toFixed(1)} s)`)
      return printed
    },
    close: () => closeTerminal(shell.terminal),
  }
}
