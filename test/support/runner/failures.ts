/** Lines of one failed test that are kept, from its end. */
const KEPT_LINES = 60

const isVerdict = (line: string) => /^\((pass|skip|todo)\)/.test(line)
const isFailure = (line: string) => line.startsWith('(fail)')
const isFile = (line: string) => /^\S+\.ts:/.test(line)
const isSummary = (line: string) => /^\d+ tests (failed|skipped|todo):$/.test(line)

/**
 * Reads what `bun test` says and gives what each failed test said. Bun says that once, in the middle of thousands of
 * lines, and only names at the end, which is all that a CI may keep.
 */
export const collectFailures = () => {
  const failures: string[] = []
  const files = new Set<string>()
  let file = ''
  let said: string[] = []
  let rest = ''
  let summary = false

  const readLine = (line: string) => {
    const plain = Bun.stripANSI(line)
    if (isSummary(plain)) summary = true
    if (summary) return
    if (isFile(plain)) file = plain
    if (isFailure(plain)) {
      failures.push([file, ...said.slice(-KEPT_LINES), line].join('\n'))
      files.add(file.replace(/:$/, ''))
    }
    if (isFile(plain) || isVerdict(plain) || isFailure(plain)) said = []
    else said.push(line)
  }
  return {
    failures,
    /** Of the failed tests, as bun test takes them. */
    files,
    read: (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) readLine(line)
    },
  }
}
