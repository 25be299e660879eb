import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** What no other file uses is not exported. The SDK is excluded: its users import from it. */

const ROOT = join(import.meta.dir, '../..')
const FOLDERS = 'src,workflows,activities,test,bench,build,packages'
const DECLARED =
  /^export (?:async )?(?:const|function\*?|class|type|interface|enum|let) ([A-Za-z_$][\w$]*)/gm

const wordsOf = (text: string) => new Set(text.match(/[A-Za-z_$][\w$]*/g))

test('every exported name is in another file', async () => {
  const files = [...new Bun.Glob(`{${FOLDERS}}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT })].filter(
    file => !file.includes('node_modules/'),
  )
  const texts = new Map<string, string>()
  const filesWith = new Map<string, number>()
  for (const file of files) {
    const text = await Bun.file(join(ROOT, file)).text()
    texts.set(file, text)
    for (const word of wordsOf(text)) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)
  }
  let exported = 0
  const unused: string[] = []
  for (const [file, text] of texts) {
    if (file.startsWith('packages/')) continue
    for (const [, name = ''] of text.matchAll(DECLARED)) {
      exported++
      if (filesWith.get(name) === 1) unused.push(`${file}: ${name}`)
    }
  }
  expect(exported).toBeGreaterThan(500)
  expect(unused.sort()).toEqual([])
})
