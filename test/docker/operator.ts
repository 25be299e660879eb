import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run as runProgram } from '../support/tools/run'
import { until } from '../support/until'

/** The operator of an installation: a clone of this project, a shell, and a list of what was typed into it. */
export type Operator = {
  dir: string
  /** Runs a command and returns its output. @throws with the output, when it fails. */
  run: (command: string) => Promise<string>
  /** All commands so far, as they were typed. */
  typed: string[]
  remove: () => Promise<void>
}

const ROOT = join(import.meta.dir, '../..')
/** The name of the project: containers, networks and volumes of an installation on this machine have another. */
const PROJECT = 'arden-check'

export const startOperator = async (): Promise<Operator> => {
  const dir = join(await mkdtemp(join(tmpdir(), 'arden-operator-')), 'arden')
  await Bun.$`git clone --quiet ${ROOT} ${dir}`
  const changed = await Bun.$`git ls-files --modified --others --exclude-standard`.cwd(ROOT).text()
  for (const file of changed.split('\n').filter(Boolean))
    await cp(join(ROOT, file), join(dir, file)).catch(() => rm(join(dir, file), { force: true }))
  // As docs/operations.md says: the image that the first step builds is then that of `up` as well.
  const ARDEN_COMMIT = (await Bun.$`git describe --always --dirty`.cwd(dir).text()).trim()
  const typed: string[] = []
  const env = { COMPOSE_PROJECT_NAME: PROJECT, ARDEN_COMMIT }
  const run = (command: string) => {
    typed.push(command)
    return runProgram(['bash', '-euo', 'pipefail', '-c', command], { cwd: dir, env })
  }
  const remove = async () => {
    await run(`docker compose --profile '*' down --volumes --remove-orphans --timeout 10`)
    await rm(join(dir, '..'), { recursive: true, force: true })
  }
  return { dir, run, typed, remove }
}

/** For everything to start, on a machine that builds and measures at the same time, in seconds. */
const READY_S = 240

type Container = { Name: string; Service: string; State: string; Health: string }

export const containers = async ({ run }: Operator): Promise<Container[]> =>
  (await run('docker compose ps --format json'))
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

/** Waits until `serve` and `workers` workers are healthy. Returns the seconds that it waited. */
export const ready = async (operator: Operator, workers = 2): Promise<number> => {
  const began = performance.now()
  await until(
    `serve and ${workers} workers are healthy`,
    async () => {
      const healthy = (await containers(operator)).filter(({ Health }) => Health === 'healthy')
      const count = (service: string) => healthy.filter(one => one.Service === service).length
      return count('serve') === 1 && count('worker') === workers
    },
    READY_S,
  )
  return (performance.now() - began) / 1000
}
