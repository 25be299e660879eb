import { homedir } from 'node:os'

/** The Temporal CLI takes 2 minutes on two cores that do nothing else, the server 4. */
const BUILD_LIMIT_MS = 30 * 60_000

/**
 * Builds programs from source into `dir`, with `go install`; each is named by its module path with its
 * version. `onProgress` gets `what` with what is done so far, each second.
 * @throws one sentence saying why: there is no Go, or the build failed.
 */
export const goInstall = async (
  what: string,
  modules: readonly string[],
  dir: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  const go = Bun.which('go')
  if (go === null) throw new Error(`there is no \`go\` on PATH to build ${what} with`)
  // Whatever else runs here goes first.
  const nice = Bun.which('nice')
  const gently = nice === null ? [] : [nice, '-n', '19']
  const child = Bun.spawn([...gently, go, 'install', '-v', ...modules], {
    // Go looks for its caches through HOME only, which a service may lack.
    env: { ...process.env, HOME: homedir(), GOBIN: dir, CGO_ENABLED: '0' },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: BUILD_LIMIT_MS,
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  const began = Date.now()
  let packages = 0
  let last = ''
  const show = () => {
    const seconds = Math.round((Date.now() - began) / 1000)
    onProgress(`Building ${what} from source, once: ${packages} packages, ${seconds} s`)
  }
  const ticking = setInterval(show, 1000)
  show()
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    for (const line of chunk.split('\n').filter(Boolean)) {
      last = line
      // Go names each package that it compiles, and each module that it fetches ("go: downloading").
      if (!line.startsWith('go: ')) packages++
    }
  }
  const code = await child.exited
  clearInterval(ticking)
  process.off('exit', kill)
  if (code !== 0) throw new Error(`\`go install ${modules.join(' ')}\` failed (${last})`)
}
