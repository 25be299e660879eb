import { expect, test } from 'bun:test'
import { hostname } from 'node:os'
import { join } from 'node:path'

const MODULE = join(import.meta.dir, 'cli-actor.ts')
const run = (command: string[], env: Record<string, string>) =>
  Bun.spawnSync(command, { env: { PATH: process.env.PATH ?? '', ...env } })
    .stdout.toString()
    .trim()

test.each([
  ['an environment without a user, as in a container', {}],
  ['an environment that names another user', { USER: 'mallory', LOGNAME: 'mallory' }],
])('a command has the OS user as its actor in %s', (_, env) => {
  const code = `console.log(JSON.stringify((await import(${JSON.stringify(MODULE)})).cliActor()))`
  const user = run(['id', '-un'], {})
  expect(JSON.parse(run([process.execPath, '-e', code], env))).toEqual({
    type: 'cli',
    id: `${user}@${hostname()}`,
    name: user,
  })
})
