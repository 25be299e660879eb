import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ARDEN, runArden } from '../support/process'
import { until } from '../support/until'

test.each([
  [['ev'], ['events']],
  [
    ['deliveries', 'list', '--status', ''],
    ['RETRYING', 'DELIVERED', 'FAILED'],
  ],
  [['trigger', 'article.p'], ['article.published']],
  [
    ['articles', 'list', '--status', ''],
    ['DRAFT', 'PUBLISHED'],
  ],
])('%p is completed', async (typed, offered) => {
  const { code, stdout } = await runArden(['complete', '--', ...typed], {})
  expect(code).toBe(0)
  const names = stdout.split('\n').flatMap(line => /^\w[\w.-]*/.exec(line)?.[0] ?? [])
  expect(names).toEqual(offered)
})

test.each([
  [['keywords', 'import', 'no']],
  [['keywords', 'import', '--project', 'prj_1', '']],
  [['articles', 'update', '--body-file', '']],
  [['export', '--out', 'art']],
])('%p is completed by the shell, with files', async typed => {
  const { code, stdout } = await runArden(['complete', '--', ...typed], {})
  expect([code, stdout]).toEqual([0, ':0\n'])
})

test('the completion for bash is a script that bash accepts, and again when ~/.bashrc is read again', async () => {
  const { code, stdout } = await runArden(['completion', 'bash'], {})
  expect(code).toBe(0)
  const bash = Bun.spawn(['bash'], { stdin: new Blob([stdout, stdout]), stderr: 'pipe' })
  expect([await bash.exited, await bash.stderr.text()]).toEqual([0, ''])
})

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion'
const hasBashCompletion = await Bun.file(BASH_COMPLETION).exists()
const shells: Bun.Subprocess[] = []
afterAll(() => {
  for (const one of shells) one.kill('SIGKILL')
})

/** A bash in a terminal, in an empty folder, with the completion. */
const openBash = async () => {
  const root = await mkdtemp(join(tmpdir(), 'arden-completion-'))
  const folder = join(root, 'work')
  const bin = join(root, 'bin')
  await Bun.write(join(bin, 'arden'), `#!/bin/sh\nexec ${ARDEN.join(' ')} "$@"\n`)
  await chmod(join(bin, 'arden'), 0o755)
  await Bun.write(join(folder, 'notes.md'), '')
  let screen = ''
  const shell = Bun.spawn(['bash', '--norc', '--noprofile', '-i'], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: root, TERM: 'dumb' },
    terminal: {
      cols: 200,
      data: (_, data) => {
        screen += data.toString()
      },
    },
  })
  shells.push(shell)
  const type = (keys: string) => shell.terminal?.write(keys)
  const shows = (text: string) => until(`it shows ${text}`, () => screen.includes(text))
  type(`source ${BASH_COMPLETION}; source <(arden completion bash); echo rea""dy\n`)
  await shows('ready')
  return { folder, type, shows }
}

test.skipIf(!hasBashCompletion)(
  'bash completes a line by its words as they are, and runs or overwrites nothing that is in them',
  async () => {
    const { folder, type, shows } = await openBash()
    for (const [line, completed] of [
      ['arden projects list > notes.md --j', '--json '],
      ['arden articles create --title $(touch made) --ti', '--title '],
      ['arden articles create --title "`touch made` a b" --sl', '--slug '],
      ['arden articles list --search "a;touch made" --sta', '--status '],
      ['arden keywords import no', 'notes.md '],
    ] as const) {
      type(`${line}\t`)
      await shows(line.replace(/\S+$/, completed))
      // Ctrl-U deletes the line.
      type('\x15')
    }
    expect(await readdir(folder)).toEqual(['notes.md'])
    expect(await Bun.file(join(folder, 'notes.md')).text()).toBe('')
  },
)
