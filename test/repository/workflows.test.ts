import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pkg from '../../package.json'

/** .github/workflows: they run what the documents say, with no more rights than that needs. */

const ROOT = join(import.meta.dir, '../..')
const FOLDER = join(ROOT, '.github/workflows')

type Step = { uses?: string; run?: string; with?: Record<string, unknown> }
type Job = { 'timeout-minutes'?: number; permissions?: Record<string, string>; steps: Step[] }
type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> }

const workflows = await Promise.all(
  readdirSync(FOLDER).map(async file => ({
    file,
    ...(Bun.YAML.parse(await Bun.file(join(FOLDER, file)).text()) as Workflow),
  })),
)
const steps = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(job => job.steps))
const documents = await Promise.all(
  ['README.md', 'CONTRIBUTING.md', 'docs/operations.md'].map(file =>
    Bun.file(join(ROOT, file)).text(),
  ),
)

test('what they run of Arden is a command of the documents, with the Bun of the tests', () => {
  const ours = steps.flatMap(({ run = '' }) => (/\bbun@/.test(run) ? [run] : []))
  expect(ours.length).toBeGreaterThan(4)
  for (const run of ours) {
    expect(run).toStartWith(`npx -y bun@${Bun.version} `)
    const command = run.replace(/^npx -y bun@\S+ /, 'bun ').replace(/ "\$TAG".*/, '')
    expect(
      documents.some(text => text.includes(command)),
      command,
    ).toBe(true)
  }
  const image = steps.find(({ run = '' }) => run.startsWith('docker build'))?.run
  expect(documents.join()).toContain(image?.replace(/ -t .*/, ' -t') ?? 'no image')
})

test('actions are pinned by their commit, and keep no credentials', () => {
  for (const { uses, with: options } of steps) {
    if (uses === undefined) continue
    expect(uses).toMatch(/^actions\/checkout@[0-9a-f]{40}$/)
    expect(options).toEqual({ 'persist-credentials': false })
  }
})

test('each may read only, unless a job says what it writes, and ends in time', () => {
  for (const { file, permissions, jobs } of workflows) {
    expect(permissions, file).toEqual({ contents: 'read' })
    for (const [name, job] of Object.entries(jobs)) {
      expect(job['timeout-minutes'], `${file}, ${name}`).toBeWithin(1, 91)
      const writes = Object.entries(job.permissions ?? {}).filter(([, right]) => right === 'write')
      expect(writes.length, `${file}, ${name}`).toBeLessThan(2)
    }
  }
})

describe('the notes of a release', () => {
  const notes = (tag: string) =>
    Bun.spawnSync([process.execPath, 'build/release-notes.ts', tag], { cwd: ROOT })

  test('a tag of another version is refused, and one without a section in CHANGELOG.md', () => {
    const other = notes('v99.0.0')
    expect(other.exitCode).toBe(1)
    expect(other.stderr.toString()).toContain(`package.json has version ${pkg.version}`)
    const { exitCode, stdout, stderr } = notes(`v${pkg.version}`)
    // Until the version is released its section is called [Unreleased].
    if (exitCode === 0) expect(stdout.toString()).toStartWith('###')
    else expect(stderr.toString()).toContain(`no section "## [${pkg.version}]"`)
  })
})
