import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** Arden in a process of its own, as an operator runs it: it can be killed. */
export const spawnArden = async (
  role: 'serve' | 'worker',
  env: Record<string, string>,
  more: { logLevel?: 'trace' } = {},
) => {
  const child = Bun.spawn([process.execPath, MAIN, role], {
    // The line that says it has started is one of level info.
    env: { PATH: process.env.PATH ?? '', ...env, LOG_LEVEL: more.logLevel ?? 'info' },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const lines: string[] = []
  const started = Promise.withResolvers<{ url: string }>()
  const read = async () => {
    let rest = ''
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) {
        lines.push(line)
        if (line.includes('"msg":"started"')) started.resolve(JSON.parse(line))
      }
    }
    started.reject(new Error(`arden ${role} ended before it started:\n${lines.join('\n')}${rest}`))
  }
  read()
  const { url } = await started.promise
  return {
    url,
    pid: child.pid,
    /** What it logged so far, a JSON line each. */
    lines,
    kill: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return await child.exited
    },
  }
}

/** A command of `arden` to its end: what it printed, and its exit code. */
export const runArden = async (args: string[], env: Record<string, string>) => {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}
