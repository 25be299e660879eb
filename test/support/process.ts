import { join } from 'node:path'
import { until } from './until'

/** The command of `arden`, from the sources. */
export const ARDEN = [process.execPath, join(import.meta.dir, '../../src/main.ts')]

/**
 * Arden in a process of its own, as an operator runs it: it can be killed. `program`: the binary, instead
 * of the sources.
 */
export const spawnArden = async (
  role: 'serve' | 'worker',
  env: Record<string, string>,
  more: { logLevel?: 'trace'; program?: string[]; cwd?: string; options?: string[] } = {},
) => {
  const child = Bun.spawn([...(more.program ?? ARDEN), role, ...(more.options ?? [])], {
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
    /** URL of `/metrics`; undefined without ARDEN_METRICS_PORT. */
    metricsUrl: metrics,
    pid: child.pid,
    exited: child.exited,
    /** The log lines so far, in JSON. */
    lines,
    kill: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return await child.exited
    },
  }
}

/** How long a process may take for what is milliseconds, in seconds. */
const SOON_S = 20

/** A command of `arden` that goes on, and what it has printed. */
export const goArden = (args: string[], env: Record<string, string>) => {
  const child = Bun.spawn([...ARDEN, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = { out: '', err: '' }
  const notRead = new AbortController()
  const read = async (from: ReadableStream<Uint8Array<ArrayBuffer>>, to: 'out' | 'err') => {
    const { readable, writable } = new TextDecoderStream()
    const { signal } = notRead
    from.pipeTo(writable, to === 'out' ? { signal } : {}).catch(() => {})
    for await (const text of readable) printed[to] += text
  }
  read(child.stdout, 'out').catch(() => {})
  read(child.stderr, 'err')
  return {
    child,
    printed,
    /** Closes its stdout. */
    stopReading: () => notRead.abort(),
    shows: (stream: 'out' | 'err', text: string) =>
      until(`it shows ${text}`, () => printed[stream].includes(text), SOON_S),
  }
}

/** A command of `arden` to its end: what it printed, and its exit code. */
export const runArden = async (
  args: string[],
  env: Record<string, string>,
  program: string[] = ARDEN,
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
