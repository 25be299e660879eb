import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../../build/root'
import { fencesOf } from '../support/operations/fences'
import { BLOCKS } from './blocks'

/** Tried once by hand, as the document says: they need two versions of a server. */
const BY_HAND = ['upgrade', 'upgrade']

test('every named command for PostgreSQL, Temporal and systemd is typed by `bun run systemd`', async () => {
  const fences = fencesOf(await Bun.file(join(ROOT, 'docs/operations.md')).text())
  const documented = fences
    .filter(({ word = '' }) => ['postgres', 'temporal', 'machines', 'systemd'].includes(word))
    .flatMap(({ name }) => name ?? [])
  expect(documented.sort()).toEqual([...BLOCKS, ...BY_HAND].sort())
})
