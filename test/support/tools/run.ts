type Options = { cwd?: string; env?: Record<string, string | undefined>; input?: string }

/** Runs a program and returns its output. @throws its output, when it exits with another code than 0. */
export const run = async (
  command: string[],
  { cwd, env, input }: Options = {},
): Promise<string> => {
  const child = Bun.spawn(command, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  if (code !== 0)
    throw new Error(`${command.join(' ')} exited with ${code}:\n${out}\n${errors.trim()}`)
  return out
}
