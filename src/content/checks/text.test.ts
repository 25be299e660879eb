import { expect, test } from 'bun:test'
import { linksOf, readMarkdown } from './text'

test('words are counted once, in lists and tables too, and scripts without spaces by letter', () => {
  const count = (body: string) => readMarkdown(body).words.length
  expect(count('# One two\n\nThree *four*.')).toBe(4)
  expect(count('- one\n- two\n  - three\n\n- four five\n')).toBe(5)
  expect(count('| a | b |\n| - | - |\n| c | d e |')).toBe(5)
  expect(count('> quoted words')).toBe(2)
  expect(count('```\nno words of code\n```')).toBe(0)
  expect(count('豆を挽く')).toBe(4)
  expect(count('二〇二四年に日本へ行く')).toBe(11)
  expect(count('コーヒー')).toBe(4)
  expect(count('iPhone手机 2024年')).toBe(5)
  expect(count('हिन्दी की किताब रक्\u200dषा')).toBe(4)
  expect(count('کتاب\u200cها soft\u00adhyphen')).toBe(2)
  expect(count('คู่มือ')).toBe(3)
})

test.each([
  '![foto](https://x.y/a.png)',
  '[bron](https://x.y/)',
  '| a | b |\n| - | - |\n| c | d |',
  '- een\n- twee',
  '> motto',
  '<div>\nlogo\n</div>',
  '## Kop\n\n![foto](https://x.y/a.png)',
  '>motto',
  '>motto\n---',
  '[![foto](a.png)](https://x.y/)',
  '![foto](https://x.y/a_(1).png)',
  '![foto][1]',
  '**[bron](https://x.y/)**',
  'https://x.y/film',
  '<https://x.y/film>',
  '[1]: https://x.y/',
  '[logo]: images/logo.png',
  '[mail]: mailto:a@b.de "Schrijf ons"',
  '[^1]: Zie de gids.',
  '|a|b|\n|-|-|\n|c|d|',
  '| a | b |\n|---|---|\nc | d',
  'a | b\n--|--\nc | d\n---',
  'a | b\n--|--\nc | d',
  '<!-- meer -->',
  '<my-element>',
  '<?xml version="1.0"?>',
])('the first paragraph is the prose below %j', above => {
  expect(readMarkdown(`${above}\n\nDe droogkast is af.\n\nMeer.`).opening).toBe(
    'De droogkast is af.',
  )
})

test.each([
  '<b>De droogkast</b> is af.',
  '<a id="top"></a>De droogkast is af.',
  '<https://x.y/film> toont de droogkast.',
  '![foto](a.png) De droogkast is af.',
  'Droogkast | af',
])('%j is prose', first => {
  const { opening, paragraphs } = readMarkdown(`${first}\n\nMeer.`)
  expect(opening).toBe(paragraphs[0] ?? '')
})

test('the first paragraph is above a table, also without a blank line, and where the header of the table is empty', () => {
  const opening = (body: string) => readMarkdown(body).opening
  expect(opening('De droogkast is af.\n\n| | |\n|---|---|\n| a | b |\n\nMeer.')).toBe(
    'De droogkast is af.',
  )
  expect(opening('De droogkast is af.\na | b\n--|--\n1 | 2\n\nMeer.')).toStartWith(
    'De droogkast is af.',
  )
  expect(opening('De droogkast is af.\n|\nMeer.')).toStartWith('De droogkast is af.')
  expect(opening('[Noot]: dit is proza.\n\nMeer.')).toBe('[Noot]: dit is proza.')
  expect(opening('Een zin die gewoon is.\n--|--\n1 | 2\n\nMeer.')).toStartWith('Een zin')
  expect(readMarkdown('a | b\n--|--\nc | d\n---').headings).toEqual([])
  expect(readMarkdown('a | b\n--|--\nc | d\n## Kop\nTitel\n---').headings).toEqual(['Kop', 'Titel'])
})

test('what is directly below a definition is read as if the definition was not there', () => {
  const { headings, opening, words } = readMarkdown(
    '[logo]: images/logo.png\nEspresso is sterk.\n\nMeer.\n\n[a]: /b\nTitel\n---\n',
  )
  expect([opening, headings]).toEqual(['Espresso is sterk.', ['Titel']])
  expect(words).toEqual(['titel', 'espresso', 'is', 'sterk', 'meer'])
  expect(readMarkdown('a | b\n--|--\n[x]: y').words).toEqual(['a', 'b', 'x', 'y'])
  expect(readMarkdown('[a]: /b "Say \\"hi\\""\n[ ]: foo').words).toEqual(['foo'])
})

test.each(['## Kop', '```\ncode\n```', '***'])('prose follows %j below a table', block => {
  const { opening } = readMarkdown(`a | b\n--|--\n1 | 2\n${block}\nProza hier.\n\nMeer.`)
  expect(opening).toBe('Proza hier.')
})

test('finds underlined headings, and no others above a rule', () => {
  const body =
    'Titre\n=====\n\nUn texte.\n\nSous-titre\nlong\n---\nDeux.\n\n- item\n---\n\n> mot\n---\n| a |\n---\n\n---\n\n```\na\n---\n```\n'
  const { headings, paragraphs, opening } = readMarkdown(body)
  expect(headings).toEqual(['Titre', 'Sous-titre long'])
  expect(paragraphs.slice(0, 3)).toEqual(['Un texte.', 'Deux.', 'item'])
  expect(opening).toBe('Un texte.')
})

// Of two classes, which Unicode sorts.
test.each([
  '\u0301\u0316',
  // Not removed where texts are compared, and divided by soft hyphens, which are.
  `${'\u05b0\u0323'.repeat(15)}\u00ad`,
])('reads a text of combining marks in linear time: %j', async some => {
  const marks = `a${some.repeat(180_000 / some.length)}`
  const started = process.cpuUsage()
  expect(readMarkdown(marks).words).toHaveLength(1)
  // In quadratic time it takes 92 s.
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(9)
})

test('finds the links of a text, without the punctuation around them', () => {
  const text =
    'See [a](https://a.example/x_(y)), <https://b.example/>, https://c.example/z. ![d](https://d.example/p.png "t") and [a](https://a.example/x_(y)).'
  expect(linksOf(text)).toEqual([
    'https://a.example/x_(y)',
    'https://b.example/',
    'https://c.example/z',
    'https://d.example/p.png',
  ])
})

test.each([
  ['[a](https://a.example/x_\\(y\\))', 'https://a.example/x_(y)'],
  ['{\\"url\\":\\"https://a.example/hook\\"}', 'https://a.example/hook'],
  ['\\[https://a.example/x\\]', 'https://a.example/x'],
  ['(see https://a.example/x\\)', 'https://a.example/x'],
  ['https://a.example/?b=1&c=2.', 'https://a.example/?b=1&c=2'],
  ['[a](https://a.example/x_(y(z)))', 'https://a.example/x_(y(z))'],
  ['[a](<https://a.example/x (y)>)', 'https://a.example/x (y)'],
  ['[a](https://a.example/?b=1&amp;c=2)', 'https://a.example/?b=1&c=2'],
  ['„https://a.example/a“', 'https://a.example/a'],
  ['«https://a.example/d»', 'https://a.example/d'],
  ['https://a.example/e…', 'https://a.example/e'],
  ['见https://a.example/中，然后', 'https://a.example/中'],
  ["https://a.example/l'isola-d'elba.", "https://a.example/l'isola-d'elba"],
  ["<https://a.example/l'isola>", "https://a.example/l'isola"],
  ["https://a.example/l'%C3%A9t%C3%A9", "https://a.example/l'%C3%A9t%C3%A9"],
  ['<https://a.example/モーニング娘。>', 'https://a.example/モーニング娘。'],
  ['[1]: https://a.example/新宿（東京）', 'https://a.example/新宿（東京）'],
  ['  [1]: <https://a.example/foo!> "foo"', 'https://a.example/foo!'],
  ['[1]: https://a.example/x, abgerufen am 1. Mai', 'https://a.example/x'],
  ['[1]: https://a.example/x. Accessed (2024).', 'https://a.example/x'],
  ['[1]: https://a.example/x, "Title", 2024', 'https://a.example/x'],
  ['[1]: https://a.example/x, "A", "B"', 'https://a.example/x'],
  ['[1]: https://a.example/x\\_y "Say \\"hi\\""', 'https://a.example/x_y'],
  ['[1]: https://a.example/x. (2024) (Abruf)', 'https://a.example/x'],
  ['[a]( https://a.example/新宿（東京）)', 'https://a.example/新宿（東京）'],
  ['»https://a.example/a«', 'https://a.example/a'],
  ['‚https://a.example/a‘', 'https://a.example/a'],
  ['‹https://a.example/a›', 'https://a.example/a'],
  ["fetch('https://a.example/b').then('c')", 'https://a.example/b'],
  ['see www.a.example.', 'http://www.a.example'],
  ['[see www.a.example](https://b.example/)', 'https://b.example/'],
  ['(**WWW.a.example/x**)', 'http://WWW.a.example/x'],
])('%s leads where it leads in a browser', (text, url) => {
  expect(linksOf(text)).toEqual([url])
})

test('finds each of the addresses that only marks divide', () => {
  const text = '参见https://a.example/中，更多在https://b.example/b。[见](https://c.example/，d)'
  expect(linksOf(text)).toEqual([
    'https://a.example/中',
    'https://b.example/b',
    'https://c.example/，d',
  ])
})

test.each([
  '[a](www.a.example)',
  'xwww.a.example',
  '/www.a.example',
  '[www.a.example]',
  'www.',
  '(www...)',
])('%s is no link to the web', text => {
  expect(linksOf(text)).toEqual([])
})

test('finds links that end with thousands of brackets without delay', () => {
  const links = `https://a.example/${')'.repeat(2030)} `.repeat(500)
  const began = performance.now()
  for (let n = 0; n < 10; n++) expect(linksOf(links)).toEqual(['https://a.example/'])
  // A bound against a hang: it takes 30 ms, and took 30 s.
  expect(performance.now() - began).toBeLessThan(5_000)
})
