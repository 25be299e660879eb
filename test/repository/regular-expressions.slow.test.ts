import { expect, test } from 'bun:test'
import { join } from 'node:path'
import * as ts from '@typescript/typescript6'
import { type TSchema, t } from 'elysia'
import { check } from 'recheck'
import { WIDE_MARKS } from '../../src/content/articles/bare-address'
import { connect } from '../../src/db/connect'
import { MARKS_MAX } from '../../src/letters'
import { listRoutes } from '../support/http/routes'

/**
 * No regular expression of the program needs more than linear time. Texts of clients, receivers and models reach
 * many of them, and a pattern that backtracks over 8 KB of a header cost 0.3 s (docs/decisions/security.md).
 */

const ROOT = join(import.meta.dir, '../..')
const FOLDERS = ['src', 'activities', 'workflows', 'packages/sdk/src']
/** For one expression, in ms: the slowest took 0.3 s. A back-reference takes minutes, and is better avoided. */
const CHECK_TIMEOUT_MS = 30_000

/** What the expressions that are built at run time contain: the values of variables in their texts. */
const VARIABLES = new Map([
  ['src/dashboard/bundle/routes.ts name', 'gzip'],
  ['src/content/keywords/schema.ts MARKS_MAX', String(MARKS_MAX)],
  ['src/content/checks/text.ts WIDE_MARKS', WIDE_MARKS],
])

/** `source` and `flags` as in `new RegExp(source, flags)`; `source` is undefined if it is not known before run time. */
type Expression = { where: string; source: string | undefined; flags: string }

const sourceFiles = FOLDERS.flatMap(folder =>
  [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT })].filter(
    file => !/\.test\.tsx?$/.test(file),
  ),
)

const parseLiteral = (text: string) => {
  const end = text.lastIndexOf('/')
  return { source: text.slice(1, end), flags: text.slice(end + 1) }
}

/** All literals, and all calls of `RegExp` with texts that consist of constants of the file. */
const expressionsOf = (file: string, text: string): Expression[] => {
  const found: Expression[] = []
  const constants = new Map<string, ts.Expression>()

  const evaluate = (node: ts.Expression | undefined): string | undefined => {
    if (node === undefined) return undefined
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text
    if (ts.isIdentifier(node))
      return VARIABLES.get(`${file} ${node.text}`) ?? evaluate(constants.get(node.text))
    if (ts.isTemplateExpression(node))
      return node.templateSpans.reduce<string | undefined>(
        (start, { expression, literal }) =>
          concat(concat(start, evaluate(expression)), literal.text),
        node.head.text,
      )
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken)
      return undefined
    const [left, right] = [evaluate(node.left), evaluate(node.right)]
    const isSum = [left, right].every(part => part !== undefined && /^\d+$/.test(part))
    return isSum ? String(Number(left) + Number(right)) : concat(left, right)
  }

  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer)
    if (ts.isRegularExpressionLiteral(node))
      found.push({ where: `${file} ${node.text}`, ...parseLiteral(node.text) })
    if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'RegExp'
    ) {
      const [source, flags] = node.arguments ?? []
      found.push({
        where: `${file} ${node.getText()}`,
        source: evaluate(source),
        flags: evaluate(flags) ?? '',
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

const concat = (left: string | undefined, right: string | undefined) =>
  left === undefined || right === undefined ? undefined : left + right

/** Patterns of every schema inside `value`. */
const patternsOf = (value: unknown, seen = new Set<unknown>()): string[] => {
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const { pattern, patternProperties } = value as TSchema
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...Object.keys(patternProperties ?? {}),
    ...Object.values(value).flatMap(inner => patternsOf(inner, seen)),
  ]
}

/**
 * Exact checks of `{0,61}` take minutes. Without its limit an expression matches in all the ways in which it does with
 * it, and more: if that is linear, so is the expression.
 */
const withoutMaximum = (source: string) => source.replaceAll(/\{(\d+),\d\d+\}/g, '{$1,}')

const isLinear = async ({ source, flags }: Omit<Expression, 'where'>): Promise<boolean> =>
  source !== undefined &&
  ((await isSafe(withoutMaximum(source), flags)) || (await isSafe(source, flags)))

const isSafe = async (source: string, flags: string): Promise<boolean> => {
  // Exact, unlike the fuzzer that is the default for a large pattern: that one is random and measures time.
  const result = await check(source, flags, { checker: 'automaton', timeout: CHECK_TIMEOUT_MS })
  return result.status === 'safe'
}

const findSlow = async (expressions: Expression[]): Promise<string[]> => {
  const slow: string[] = []
  for (const expression of expressions)
    if (!(await isLinear(expression))) slow.push(expression.where)
  return slow
}

test('every regular expression needs linear time at most', async () => {
  const expressions = await Promise.all(
    sourceFiles.map(async file => expressionsOf(file, await Bun.file(join(ROOT, file)).text())),
  )
  expect(expressions.flat().length).toBeGreaterThan(100)
  expect(await findSlow(expressions.flat())).toEqual([])
})

test('every pattern of a schema needs linear time at most', async () => {
  const sql = connect('postgres://127.0.0.1/', { name: 'test', max: 1 })
  const schemas: unknown[] = listRoutes(sql).map(({ hooks }) => hooks)
  for (const file of sourceFiles)
    if (/\/(schema|headers)\.ts$/.test(file)) schemas.push(await import(join(ROOT, file)))
  const patterns = [...new Set(patternsOf(schemas))]
  expect(patterns.length).toBeGreaterThan(15)
  const expressions = patterns.map(source => ({ where: source, source, flags: '' }))
  expect(await findSlow(expressions)).toEqual([])
})

const BACKTRACKS = String.raw`^\s*\[?(.*?)(?:\]:\d+|\])?\s*$`

test.each([
  ['literal', `/${BACKTRACKS}/`],
  ['text', `new RegExp(${JSON.stringify(BACKTRACKS)})`],
  ['text of constants', `const START = '^(a+'; const END = 1 + 1; RegExp(\`\${START})+\${END}$\`)`],
  ['text that is not known', 'const match = (text: string) => new RegExp(text)'],
])('the check finds one that backtracks in a %s', async (_, code) => {
  expect(await findSlow(expressionsOf('example.ts', code))).toHaveLength(1)
})

test('the check finds one that backtracks in a schema', async () => {
  const schema = t.Object({ list: t.Array(t.Union([t.Null(), t.String({ pattern: BACKTRACKS })])) })
  expect(patternsOf([{ body: schema }])).toEqual([BACKTRACKS])
  expect(await isLinear({ source: BACKTRACKS, flags: '' })).toBe(false)
})
