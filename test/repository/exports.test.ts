import { expect, test } from 'bun:test'
import { readSourceFiles } from '../support/tools/source-files'

/** What no other file uses is not exported. The SDK is excluded: its users import from it. */

const DECLARED =
  /^export (?:async )?(?:const|function\*?|class|type|interface|enum|let) ([A-Za-z_$][\w$]*)/gm

const wordsOf = (text: string) => new Set(text.match(/[A-Za-z_$][\w$]*/g))

test('every exported name is in another file', async () => {
  const files = await readSourceFiles()
  const filesWith = new Map<string, number>()
  for (const { text } of files) {
    for (const word of wordsOf(text)) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)
  }
  let exported = 0
  const unused: string[] = []
  for (const { file, text } of files) {
    if (file.startsWith('packages/')) continue
    for (const [, name = ''] of text.matchAll(DECLARED)) {
      exported++
      if (filesWith.get(name) === 1) unused.push(`${file}: ${name}`)
    }
  }
  expect(exported).toBeGreaterThan(500)
  expect(unused.sort()).toEqual([])
})
