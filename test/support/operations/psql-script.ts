import { join } from 'node:path'
import { connect } from '../../../src/db/connect'

const ROOT = join(import.meta.dir, '../../..')

/**
 * Runs a script for psql of this repository, where psql may be missing: `\getenv` from `variables`, `:'name'` as a
 * literal, and one statement after the other. Without its `\if` blocks, which are for variables that are missing.
 */
export const runPsqlScript = async (
  url: string,
  file: string,
  variables: Record<string, string>,
): Promise<void> => {
  const values = new Map<string, string>()
  const lines: string[] = []
  const script = await Bun.file(join(ROOT, file)).text()
  for (const line of script.replace(/\\if [\s\S]*?\\endif\n/g, '').split('\n')) {
    const [, name, variable = ''] = /^\\getenv (\w+) (\w+)$/.exec(line) ?? []
    if (name === undefined) lines.push(line)
    else values.set(name, variables[variable] ?? '')
  }
  const sql = connect(url, { name: 'test', max: 1 })
  // The lines of a block are indented.
  for (const statement of lines.join('\n').split(/;\n(?=\S|$)/)) {
    const text = statement.replaceAll(/:'(\w+)'/g, (_, name: string) => literal(values.get(name)))
    if (text.trim() !== '') await sql.unsafe(text)
  }
  await sql.end()
}

const literal = (value = '') => `'${value.replaceAll("'", "''")}'`
