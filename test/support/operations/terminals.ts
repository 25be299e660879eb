/** Where commands are typed: everything they print comes together in `output.text`. */
export type Terminal = {
  child: Bun.Subprocess<'pipe' | 'ignore', 'pipe', 'pipe'>
  output: { text: string }
  /** Resolves when all that it started has closed its output. */
  closed: Promise<unknown>
}

/** `prefix` runs the shell elsewhere, such as in a container. */
type Place = { cwd: string; env: Record<string, string>; prefix?: string[] }

const open = (args: string[], stdin: 'pipe' | 'ignore', place: Place): Terminal => {
  // A process group of its own, as a terminal's foreground has: it ends together.
  const child = Bun.spawn([...(place.prefix ?? []), 'bash', ...args], {
    cwd: place.cwd,
    env: place.env,
    stdin,
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  const output = { text: '' }
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) output.text += chunk
  }
  return { child, output, closed: Promise.all([collect(child.stdout), collect(child.stderr)]) }
}

/** A terminal in which one command goes on. */
export const runInTerminal = (command: string, place: Place): Terminal =>
  open(['-c', command], 'ignore', place)

/** Ends all that runs in it. */
export const closeTerminal = async ({ child }: Terminal, signal: NodeJS.Signals = 'SIGKILL') => {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal)
  await child.exited
}

/** A shell that keeps its variables from one block to the next. */
export const openShell = (place: Place) => {
  const terminal = open([], 'pipe', place)
  const marker = `done-${crypto.randomUUID()}`
  const write = (text: string) => {
    const { stdin } = terminal.child
    if (typeof stdin === 'object') stdin.write(text)
  }
  write(`exec 2>&1\ntrap 'echo "${marker} failed: $BASH_COMMAND"' ERR\n`)
  return {
    terminal,
    /** Types the block, waits for its end, and returns what it printed. @throws when a command failed. */
    type: async (block: string): Promise<string> => {
      const from = terminal.output.text.length
      write(`{ ${block}\n} < /dev/null\necho "${marker} ended"\n`)
      const printed = () => terminal.output.text.slice(from)
      while (!printed().includes(`${marker} ended`)) {
        if (terminal.child.exitCode !== null)
          throw new Error(`the shell ended at:\n${block}\n${printed()}`)
        await Bun.sleep(20)
      }
      const failed = new RegExp(`^${marker} failed: (.*)$`, 'm').exec(printed())
      if (failed !== null) throw new Error(`"${failed[1]}" failed:\n${printed()}`)
      return printed().replaceAll(`${marker} ended\n`, '')
    },
  }
}
