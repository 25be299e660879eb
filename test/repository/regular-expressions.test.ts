import { expect, test } from 'bun:test'
import { join } from 'node:path'
import * as ts from '@typescript/typescript6'
import { check } from 'recheck'

/**
 * No regular expression of the program needs more than linear time. Texts of clients, receivers and models reach
 * many of them, and a pattern that backtracks over 8 KB of a header cost 0.3 s (docs/decisions/security.md).
 */

const ROOT = join(import.meta.dir, '../..')
const FOLDERS = ['src', 'activities', 'workflows', 'packages/sdk/src']
/** For one expression, in ms: the slowest took 0.3 s. A back-reference takes minutes, and is better avoided. */
const CHECK_TIMEOUT_MS = 30_000

type Expression = { file: string; text: string }

const expressionsOf = async (file: string): Promise<Expression[]> => {
  const found: Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push({ file, text: node.text })
    ts.forEachChild(node, visit)
  }
  const source = await Bun.file(join(ROOT, file)).text()
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
  return found
}

const isLinear = async (text: string): Promise<boolean> => {
  const end = text.lastIndexOf('/')
  const result = await check(text.slice(1, end), text.slice(end + 1), { timeout: CHECK_TIMEOUT_MS })
  return result.status === 'safe'
}

test('every regular expression needs linear time at most', async () => {
  const files = FOLDERS.flatMap(folder =>
    [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT })].filter(
      file => !/\.test\.tsx?$/.test(file),
    ),
  )
  const expressions = (await Promise.all(files.map(expressionsOf))).flat()
  expect(expressions.length).toBeGreaterThan(100)
  const slow: string[] = []
  for (const { file, text } of expressions)
    if (!(await isLinear(text))) slow.push(`${file} ${text}`)
  expect(slow).toEqual([])
})

test('the check finds one that backtracks', async () => {
  expect(await isLinear(String.raw`/^\s*\[?(.*?)(?:\]:\d+|\])?\s*$/`)).toBe(false)
})
