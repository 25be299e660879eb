import { homedir } from 'node:os'

/** The Temporal CLI takes 2 minutes on two idle cores, the server 4. */
const BUILD_LIMIT_MS = 30 * 60_000

/** Programs of one Go module: the folders of their main packages. */
type GoPrograms = { module: string; version: string; folders: readonly string[] }

/**
 * Builds programs from source into `dir` with `go install`. Calls `onProgress` every second.
 * @throws one sentence with the reason: there is no Go, or the build failed.
 */
export const goInstall = async (
  what: string,
  programs: GoPrograms,
  dir: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  const go = Bun.which('go')
  if (go === null) throw new Error(`there is no \`go\` on PATH to build ${what} with`)
  // Lowest priority, because the build takes all cores.
  const nice = Bun.which('nice')
  const gently = nice === null ? [] : [nice, '-n', '19']
  const began = Date.now()
  let downloaded = 0
  let packages = 0
  let expected: number | undefined
  let last = ''
  const show = () => {
    const seconds = Math.round((Date.now() - began) / 1000)
    const of = expected === undefined ? '' : ` of about ${expected}`
    const done = packages === 0 ? `${downloaded} modules downloaded` : `${packages}${of} packages`
    onProgress(`Building ${what} from source, once: ${done}, ${seconds} s`)
  }
  /** Runs `go` to its end, and returns what it prints. @throws when it fails. */
  const run = async (args: readonly string[], cwd: string): Promise<string> => {
    const child = Bun.spawn([...gently, go, ...args], {
      cwd,
      // Go finds its caches by HOME only, which a service may lack.
      env: { ...process.env, HOME: homedir(), GOBIN: dir, CGO_ENABLED: '0' },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: BUILD_LIMIT_MS,
    })
    const kill = () => child.kill()
    process.once('exit', kill)
    const printed = child.stdout.text()
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      for (const line of chunk.split('\n').filter(Boolean)) {
        last = line
        // With -v, Go prints each package that it compiles, and "go: downloading" for each module.
        if (line.startsWith('go: ')) downloaded++
        else packages++
      }
    }
    const code = await child.exited
    process.off('exit', kill)
    if (code !== 0) throw new Error(`\`go ${args.join(' ')}\` failed (${last})`)
    return printed
  }
  const ticking = setInterval(show, 1000)
  show()
  try {
    // Without the number, the build shows only what it has done.
    expected = await countPackages(run, programs, dir).catch(() => undefined)
    const { module, version, folders } = programs
    await run(['install', '-v', ...folders.map(folder => `${module}/${folder}@${version}`)], dir)
    show()
  } finally {
    clearInterval(ticking)
  }
}

/** The packages that a build compiles, because Go's cache does not have them: 2 to 10 s for the 1,300 of Temporal. */
const countPackages = async (
  run: (args: readonly string[], cwd: string) => Promise<string>,
  { module, version, folders }: GoPrograms,
  dir: string,
): Promise<number> => {
  const { Dir } = JSON.parse(await run(['mod', 'download', '-json', `${module}@${version}`], dir))
  const stale = ['-f', '{{if .Stale}}{{.ImportPath}}{{end}}']
  const listed = await run(['list', '-deps', ...stale, ...folders.map(one => `./${one}`)], Dir)
  return listed.split('\n').filter(Boolean).length
}
