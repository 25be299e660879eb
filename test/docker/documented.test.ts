import { expect, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digests, documentedCommands, installation } from './documented'
import { imagesNeeded } from './stand-ins/build'
import { STAND_INS } from './stand-ins/images'

/** What can be wrong with `bun run docker` is found where there is no engine as well. */

test('every documented command for Docker is one that a step runs', async () => {
  const steps: string[] = []
  for await (const file of new Bun.Glob('**/*.ts').scan(import.meta.dir))
    if (!file.endsWith('.test.ts')) steps.push(await Bun.file(join(import.meta.dir, file)).text())
  const isRun = (command: string) => steps.some(text => text.includes(command))
  const asDocumented = [...(await installation()), ...(await digests())]
  const rest = (await documentedCommands()).filter(command => !asDocumented.includes(command))
  expect(rest.length).toBeGreaterThan(5)
  expect(rest.filter(command => !isRun(command))).toEqual([])
})

test('every image of docker-compose.yml and the Dockerfile has a stand-in', async () => {
  const names = (await imagesNeeded()).map(image => image.split(':')[0] ?? '')
  expect([...new Set(names)].sort()).toEqual(Object.keys(STAND_INS).sort())
})

test('without an engine the check says that nothing was checked, and does not succeed', async () => {
  // With nothing but Bun on PATH.
  const bin = await mkdtemp(join(tmpdir(), 'arden-no-docker-'))
  try {
    await symlink(process.execPath, join(bin, 'bun'))
    const child = Bun.spawnSync([process.execPath, join(import.meta.dir, 'main.ts')], {
      env: { PATH: bin },
    })
    expect(child.stdout.toString()).toBe(
      'Not checked: there is no `docker` on PATH. Nothing was run in containers.\n',
    )
    expect(child.exitCode).toBe(3)
  } finally {
    await rm(bin, { recursive: true })
  }
})
