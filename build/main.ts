import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from '@commander-js/extra-typings'
import { workflowBundle } from '../src/temporal/bundle'
import { compile } from './compile'
import { postgresArchive } from './postgres-archive'
import { ROOT } from './root'
import { isTarget, type Target, targets, thisPlatform } from './targets'

/**
 * `bun run build` writes `dist/arden` for this platform; `--target` and `--all` write `dist/arden-<target>`
 * for others.
 */

const DIST = join(ROOT, 'dist')
/** Inputs that builds share, such as the PostgreSQL archives. */
const PARTS = join(DIST, 'parts')
const MB = 1e6

const names = Object.keys(targets).filter(isTarget)

const { target, all } = new Command('bun run build')
  .description('Build Arden as a single binary. By default dist/arden for this platform.')
  .addOption(new Option('--target <name>', 'make dist/arden-<name>').choices(names))
  .option('--all', `build for ${names.join(', ')}`)
  .parse()
  .opts()

/** Builds one binary and prints the result. Returns whether it succeeded. */
const buildTarget = async (name: Target, file: string, workflows: string): Promise<boolean> => {
  const began = performance.now()
  try {
    const postgres = await postgresArchive(name, PARTS)
    await compile(name, { workflows, postgres }, file)
  } catch (error) {
    say(`${name}: failed. ${error instanceof Error ? error.message : Bun.inspect(error)}`)
    return false
  }
  const { size } = await stat(file)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  say(
    `${name}: ${file}, ${Math.round(size / MB)} MB, built in ${seconds} s${describeTrial(name, file)}`,
  )
  return true
}

/** Runs a binary for this platform once. */
const describeTrial = (name: Target, file: string): string => {
  if (name !== thisPlatform) return '; not tested, because it is for another platform'
  const began = performance.now()
  const run = Bun.spawnSync([file, 'version'])
  const ms = Math.round(performance.now() - began)
  if (!run.success) throw new Error(`${file} does not run: ${run.stderr}`)
  return `; \`version\` takes ${ms} ms`
}

const say = (line: string) => process.stdout.write(`${line}\n`)

await mkdir(PARTS, { recursive: true })
const { code } = await workflowBundle()
const workflows = join(PARTS, 'workflows.js')
await Bun.write(workflows, code)
const wanted = all ? names : target === undefined ? [thisPlatform] : [target]
let failed = 0
for (const name of wanted) {
  if (!isTarget(name))
    throw new Error(`There is no build for ${name}. Choose one of ${names.join(', ')}.`)
  const file = join(DIST, all || target ? `arden-${name}` : 'arden')
  if (!(await buildTarget(name, file, workflows))) failed++
}
process.exit(failed === 0 ? 0 : 1)
