import { expect, test } from 'bun:test'
import { strFromU8, unzipSync } from 'fflate'
import { createZip } from './zip'

const at = new Date('2026-01-31T12:00:00Z')

test('makes a ZIP file by file; without its end no program reads it', async () => {
  const zip = createZip()
  const texts = ['', 'é'.repeat(100_000), 'tea']
  const begun: Uint8Array[] = []
  for (const [n, text] of texts.entries())
    begun.push(...(await zip.add({ name: `ö${n}.md`, text, at })))
  expect(() => unzipSync(Buffer.concat(begun))).toThrow()
  const files = unzipSync(Buffer.concat([...begun, ...zip.end()]))
  expect(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)])).toEqual(
    texts.map((text, n) => [`ö${n}.md`, text]),
  )
})
