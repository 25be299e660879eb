import { expect, test } from 'bun:test'
import { join } from 'node:path'

/**
 * The project has one name for each thing. These words are old names, or mean too many things to be one; what to write
 * instead is beside each.
 */
const INSTEAD: Record<string, string> = {
  answered: 'a function returned, a server responded',
  unanswered: 'pending, without a response',
  bell: 'wake signal, notification',
  heard: 'received',
  hear: 'receive, handle',
  heed: 'handle',
  heeded: 'handled',
  mend: 'fix',
  neighbour: 'other tenant; the record before or after',
  neighbours: 'other tenants; the records before and after',
  nobodys: 'the name of what it is, such as dummyHash',
  somebody: 'the process, the caller or the user that it is',
  tell: 'log, report, notify, distinguish',
  told: 'logged, reported, notified',
  twin: 'duplicate',
  twins: 'duplicates',
  whoever: 'the process, the caller or the user that it is',
}

const ROOT = join(import.meta.dir, '../..')
/** This list; recorded and generated files, and migrations, which must not change. */
const EXEMPT =
  /^(test\/repository\/words\.test\.ts|test\/histories\/\d|src\/db\/migrations\/|packages\/sdk\/(vectors\.json|src\/generated\.ts)|bun\.lock)|\.(png|svg)$/

/** Texts that users have misread, and what is written instead: what happened, why, and what to do next. */
const TEXTS: readonly (readonly [replaced: string, text: string])[] = [
  ['Has a wrong form', 'Enter only the host name, such as blog.acme.com.'],
  ['schema.minItems}`', 'Choose at least one event.'],
  ['What the article should heed', 'Points to cover, and what to leave out.'],
  ['URLs that are told what happens', 'Endpoints that receive signed events'],
  ['It appears here by itself', 'This page updates automatically.'],
  ['Nothing in the history is like this', 'No entries match these filters.'],
  ['I have kept it', 'I’ve saved it'],
  ['As the system', 'Match system'],
  ['Lay out', "'Format'"],
  ['It waits for its turn', 'Other deliveries are sent first.'],
  ['What you typed is kept', 'Your input is kept, and the page updates when you reconnect.'],
  ['They wait, and none are lost', 'New deliveries are queued.'],
  ['Use theirs and discard mine', 'Discard my changes'],
  ['Link for a new password', 'Reset password'],
  ['Keys give programs access to the API', 'API keys authenticate requests.'],
  ['Redeliver what failed at', 'Redeliver failed deliveries to'],
  [
    'Every check ran, and none found it',
    'The website was not among the search results of any check.',
  ],
  ['in the order of their commits', 'Later events wait while one is retried.'],
  ['Names match in part', 'You can search for part of a name, but only for complete IDs'],
  ['`All about', '`Show only entries about'],
]

/** `aTwin`, `a_twin` and `a-twin` contain the word `twin`; `between` does not. */
const wordsIn = (text: string): string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+/g) ?? []

test('no name, comment, message or document uses a word that the project has replaced', async () => {
  const files = Bun.spawnSync(['git', 'ls-files', '-z'], { cwd: ROOT })
    .stdout.toString()
    .split('\0')
    .filter(file => file !== '' && !EXEMPT.test(file))
  expect(files.length).toBeGreaterThan(500)
  const found: string[] = []
  for (const file of files) {
    for (const word of wordsIn(file))
      if (Object.hasOwn(INSTEAD, word))
        found.push(`${file}: ${word} in its name, instead: ${INSTEAD[word]}`)
    const lines = (await Bun.file(join(ROOT, file)).text()).split('\n')
    for (const [index, line] of lines.entries())
      for (const word of wordsIn(line))
        if (Object.hasOwn(INSTEAD, word))
          found.push(`${file}:${index + 1}: ${word}, instead: ${INSTEAD[word]}`)
  }
  expect(found).toEqual([])
})

test('the check finds a word inside a name', () => {
  expect(wordsIn('findTwin, is_told between')).toEqual(['find', 'twin', 'is', 'told', 'between'])
})

test('the dashboard and the API use none of the texts that were replaced', async () => {
  const files = Bun.spawnSync(['git', 'ls-files', 'src'], { cwd: ROOT })
    .stdout.toString()
    .split('\n')
    .filter(file => /(?<!\.test)\.tsx?$/.test(file))
  const read = await Promise.all(files.map(file => Bun.file(join(ROOT, file)).text()))
  // JSX breaks a sentence over several lines.
  const source = read.join('\n').replaceAll(/\s+/g, ' ')
  expect(TEXTS.length).toBeGreaterThanOrEqual(20)
  expect(TEXTS.filter(([replaced]) => source.includes(replaced))).toEqual([])
  expect(TEXTS.filter(([, text]) => !source.includes(text))).toEqual([])
})
