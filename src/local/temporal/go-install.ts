import { homedir } from 'node:os'

/** The Temporal CLI takes 2 minutes on two idle cores, the server 4. */
const BUILD_LIMIT_MS = 30 * 60_000

/**
 * Builds programs from source into `dir` with `go install`. `modules` are module paths with versions. Calls
 * `onProgress` every second.
 * @throws one sentence with the reason: there is no Go, or the build failed.
 */
export const goInstall = async (
  what: string,
  modules: readonly string[],
  dir: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  const go = Bun.which('go')
  if (go === null) throw new Error(`there is no \`go\` on PATH to build ${what} with`)
  // Lowest priority, because the build takes all cores.
  const nice = Bun.which('nice')
  const gently = nice === null ? [] : [nice, '-n', '19']
  const child = Bun.spawn([...gently, go, 'install', '-v', ...modules], {
    // Go finds its caches by HOME only, which a service may lack.
    env: { ...process.env, HOME: homedir(), GOBIN: dir, CGO_ENABLED: '0' },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: BUILD_LIMIT_MS,
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  const began = Date.now()
  let downloaded = 0
  let packages = 0
  let last = ''
  const show = () => {
    const seconds = Math.round((Date.now() - began) / 1000)
    const done = packages === 0 ? `${downloaded} modules downloaded` : `${packages} packages`
    onProgress(`Building ${what} from source, once: ${done}, ${seconds} s`)
  }
  const ticking = setInterval(show, 1000)
  show()
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    for (const line of chunk.split('\n').filter(Boolean)) {
      last = line
      // With -v, Go prints each package that it compiles, and "go: downloading" for each module.
      if (line.startsWith('go: ')) downloaded++
      else packages++
    }
  }
  const code = await child.exited
  clearInterval(ticking)
  process.off('exit', kill)
  if (code !== 0) throw new Error(`\`go install ${modules.join(' ')}\` failed (${last})`)
}
