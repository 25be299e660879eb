import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from '@commander-js/extra-typings'
import { workflowBundle } from '../src/temporal/bundle'
import { compile } from './compile'
import { postgresArchive } from './postgres-archive'
import { ROOT } from './root'
import { isTarget, type Target, targets, thisPlatform } from './targets'

/**
 * `bun run build`: makes `dist/arden` for this platform, or with `--target` and `--all`
 * `dist/arden-<target>` for others.
 */

const DIST = join(ROOT, 'dist')
/** What builds share, such as PostgreSQL packed: made once. */
const PARTS = join(DIST, 'parts')
const MB = 1e6

const names = Object.keys(targets).filter(isTarget)

const { target, all } = new Command('bun run build')
  .description('Make Arden as one file. Without options: dist/arden for this platform.')
  .addOption(new Option('--target <name>', 'make dist/arden-<name>').choices(names))
  .option('--all', `make it for ${names.join(', ')}`)
  .parse()
  .opts()

/** Answers whether it was made, and says so, or why not. */
const make = async (name: Target, file: string, workflows: string): Promise<boolean> => {
  const began = performance.now()
  try {
    const postgres = await postgresArchive(name, PARTS)
    await compile(name, { workflows, postgres }, file)
  } catch (error) {
    say(`${name}: not made. ${error instanceof Error ? error.message : Bun.inspect(error)}`)
    return false
  }
  const { size } = await stat(file)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  say(`${name}: ${file}, ${Math.round(size / MB)} MB, made in ${seconds} s${tried(name, file)}`)
  return true
}

/** What runs here is run once. */
const tried = (name: Target, file: string): string => {
  if (name !== thisPlatform) return '; not tried, for it is of another platform'
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
    throw new Error(`There is no build for ${name}; there is for ${names.join(', ')}.`)
  const file = join(DIST, all || target ? `arden-${name}` : 'arden')
  if (!(await make(name, file, workflows))) failed++
}
process.exit(failed === 0 ? 0 : 1)
