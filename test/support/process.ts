import { join } from 'node:path'

const FROM_SOURCE = [process.execPath, join(import.meta.dir, '../../src/main.ts')]

/**
 * Arden in a process of its own, as an operator runs it: it can be killed. `program`: the binary, instead
 * of the sources.
 */
export const spawnArden = async (
  role: 'serve' | 'worker',
  env: Record<string, string>,
  more: { logLevel?: 'trace'; program?: string[]; cwd?: string } = {},
) => {
  const child = Bun.spawn([...(more.program ?? FROM_SOURCE), role], {
    // The line that says it has started is one of level info.
    env: { PATH: process.env.PATH ?? '', ...env, LOG_LEVEL: more.logLevel ?? 'info' },
    ...(more.cwd && { cwd: more.cwd }),
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const lines: string[] = []
  const started = Promise.withResolvers<{ url: string; metrics?: string }>()
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
  const { url, metrics } = await started.promise
  return {
    url,
    /** Of `/metrics`; undefined without ARDEN_METRICS_PORT. */
    metricsUrl: metrics,
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
export const runArden = async (
  args: string[],
  env: Record<string, string>,
  program: string[] = FROM_SOURCE,
) => {
  const child = Bun.spawn([...program, ...args], {
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
