import { expect, test } from 'bun:test'
import { join } from 'node:path'
import manifest from '../../package.json'
import { createProgram } from '../../src/commands/program'

/** The table of commands in the README has every command of the program, and every script of package.json. */

const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text()
const table = /\n## Commands\n(.*?)\n## /s.exec(readme)?.[1] ?? ''
/** The words of each row, of which one may be several: `bun run arden keys create|list`. */
const rows = [...table.matchAll(/^\| `bun run (.+?)` \|/gm)].map(([, command = '']) =>
  command
    .replaceAll('\\|', '|')
    .split(' ')
    .map(word => word.split('|')),
)
/** It is in every group. */
const isNotHelp = (name: string) => name !== 'help'
const commands = new Map(
  createProgram()
    .createHelp()
    .visibleCommands(createProgram())
    .map(
      command =>
        [command.name(), command.commands.map(inner => inner.name()).filter(isNotHelp)] as const,
    )
    .filter(([name]) => isNotHelp(name)),
)

test('the README lists every command, and no other', () => {
  const listed = rows.flatMap(([script = [], names = []]) => (script[0] === 'arden' ? names : []))
  // `bun run dev` is `arden dev`.
  expect(['dev', ...listed].sort()).toEqual([...commands.keys()].sort())
})

test('a row that lists subcommands lists all of them', () => {
  const listed = rows.flatMap(([, [name = ''] = [], given]) => {
    const inner = commands.get(name) ?? []
    return given === undefined || inner.length === 0 ? [] : [{ given, inner }]
  })
  expect(listed.length).toBeGreaterThan(3)
  for (const { given, inner } of listed) expect(given.toSorted()).toEqual(inner.toSorted())
})

test('the README lists every script of package.json, and no other', () => {
  const scripts = rows.flatMap(([script = []]) => script)
  expect([...new Set(scripts)].sort()).toEqual(Object.keys(manifest.scripts).sort())
})
