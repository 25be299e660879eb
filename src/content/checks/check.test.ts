import { expect, test } from 'bun:test'
import { checkText } from './check'
import { checkSimilarity, type OtherArticle } from './similarity'

const GERMAN =
  'Kaltgebrühter Kaffee wird mit kaltem Wasser über viele Stunden gebrüht. Mahle die Bohnen grob und warte einen Tag, bis er fertig ist.'
const ENGLISH =
  'Cold brew coffee is brewed with cold water over many hours. Grind the beans coarse, and wait for a day until it is done.'

const check = async (
  body: string,
  {
    title = 'Cold brew coffee',
    language = 'en',
    keyword = null as string | null,
    length = null as number | null,
  } = {},
) => {
  const results = await checkText({ title, body }, { language, keyword, length })
  return Object.fromEntries(results.map(({ code, severity }) => [code, severity]))
}

test.each([
  ['ilaç rehberi', 'İlaç rehberi'],
  ['ışık tedavisi', 'Işık tedavisi'],
  ['İĞNE korkusu', 'iğne korkusu'],
  ['Istanbul gezisi', 'İSTANBUL gezisi'],
  ['ενοικίαση σκάφους', 'ΕΝΟΙΚΙΑΣΗ ΣΚΑΦΟΥΣ'],
  ['meilleur cafe lyon', 'Le meilleur café de Lyon'],
  ["chaussures d'été", 'Chaussures d’été'],
  ['Straße kehren', 'STRASSE KEHREN'],
  ['hôtel paris', 'L’hôtel de Paris'],
  ["l'hôtel paris", 'Hôtel de Paris'],
  ['portland coffee', 'Portland’s best coffee'],
  ['税金', '二〇二四年の税金'],
  ['ג׳ירפה', "ג'ירפה"],
  ['crème brûlée', 'cre\u0300me bru\u0302le\u0301e'],
])('the keyword %s is found as %s, as a search finds it', async (keyword, title) => {
  const found = await check(`${title} — here it is.`, { title, keyword })
  expect(found.keyword).toBe('ok')
  const other = await check(`${title.slice(0, -1)} — here it is.`, { title, keyword })
  expect(other.keyword).toBe('warning')
})

test('a term that is repeated does not make the text one of another language', async () => {
  const json =
    'JSON is a text format for data. A JSON document has objects, arrays, strings and numbers. Most programs that call a server send JSON and read JSON. Write JSON by hand only for small files, and check each JSON file with a tool before you send it. A JSON object has names and values. JSON has no comments, so explain your JSON beside it.'
  expect((await check(json)).language).toBe('ok')
  const german =
    'JSON ist ein Textformat für Daten. Ein Dokument in JSON hat Objekte, Listen, Texte und Zahlen. Die meisten Programme schicken einem Server JSON und lesen JSON. Schreibe JSON nur für kleine Dateien von Hand.'
  expect((await check(german, { language: 'de' })).language).toBe('ok')
})

test.each([
  ['de', 'Trekkingrucksack für große Frauen'],
  ['fr', 'comment choisir des chaussures de randonnée'],
  ['es', 'mochila para niños pequeños'],
  ['ja', '登山靴の選び方'],
])(
  'a keyword in %s that is repeated does not hide that the text is English',
  async (language, keyword) => {
    const english = [
      `Begin with a definition in one sentence. Say who meets ${keyword}, and in which situation.`,
      `Then name what ${keyword} is often taken for, and how the two differ.`,
      `Explain ${keyword} in the order in which a reader meets its parts.`,
      `Name the choices there are for ${keyword}, and by which measure they differ.`,
      `Three mistakes come up again and again with ${keyword}. Say how each is seen.`,
      `Take the questions from what people type along with ${keyword}.`,
    ].join('\n\n')
    expect((await check(english, { language })).language).toBe('warning')
    expect((await check(english)).language).toBe('ok')
  },
)

test('a text in the language of the project passes, another one is a warning', async () => {
  expect((await check(ENGLISH)).language).toBe('ok')
  expect((await check(ENGLISH, { language: 'en-GB' })).language).toBe('ok')
  expect((await check(GERMAN)).language).toBe('warning')
  expect((await check(GERMAN, { language: 'de' })).language).toBe('ok')
  // Most of it decides where the languages are mixed.
  const mostlyEnglish = [ENGLISH, ENGLISH, GERMAN, ENGLISH].join('\n\n')
  expect((await check(mostlyEnglish, { language: 'de' })).language).toBe('warning')
  expect((await check(mostlyEnglish)).language).toBe('ok')
  expect((await check(`${GERMAN}\n\n${GERMAN}\n\n${ENGLISH}`, { language: 'de' })).language).toBe(
    'ok',
  )
  // Too short, and a language that the detector does not know.
  expect((await check('Wait a day.')).language).toBeUndefined()
  expect((await check(ENGLISH, { language: 'gsw' })).language).toBeUndefined()
})

test('the result says that a text is in the language only where most of its paragraphs are in no other', async () => {
  const messageOf = async (body: string, language: string) => {
    const results = await checkText({ title: 'T', body }, { language, keyword: null, length: null })
    return results.find(({ code }) => code === 'language')?.message
  }
  expect(await messageOf(ENGLISH, 'en')).toBe('The text is in English, as the project.')
  expect(await messageOf(GERMAN, 'de')).toBe('The text is in German, as the project.')
  // The detector knows no regions.
  expect(await messageOf(ENGLISH, 'en-GB')).toBe('The text is in British English, as the project.')
  // An offline draft of a Vietnamese brief, whose sentences count once.
  const keyword = 'triển lãm tranh Đông Hồ mùa thu 2026'
  const headings = ['Tranh Đông Hồ là gì', 'Lịch sử làng tranh', 'Giờ mở cửa và giá vé', 'Đường đi']
  const draft = headings.map(
    heading =>
      `## ${heading}\n\nSay here what this heading promises, the answer first.\n\nThen give one example, and say what a reader does next.\n\nThere is more to say about ${keyword}.`,
  )
  expect(await messageOf(draft.join('\n\n'), 'vi')).toBe(
    'As a whole the text seems to be in Vietnamese, as the project, but most of its paragraphs in English.',
  )
})

test('the length may be a quarter more or less than the brief asks for', async () => {
  const words = (count: number) => 'word '.repeat(count)
  expect((await check(words(75), { length: 100 })).length).toBe('ok')
  expect((await check(words(125), { length: 100 })).length).toBe('ok')
  expect((await check(words(74), { length: 100 })).length).toBe('warning')
  expect((await check(words(126), { length: 100 })).length).toBe('warning')
  expect((await check(words(10))).length).toBeUndefined()
})

test('the results of a text that is checked in part say so', async () => {
  const shareSayingSo = async (words: number) => {
    const of = { title: 'Wait', body: 'word '.repeat(words) }
    const results = await checkText(of, { language: 'en', keyword: null, length: 100 })
    return (
      results.filter(({ message }) =>
        message.endsWith(' Only the first 200,000 characters were checked.'),
      ).length / results.length
    )
  }
  expect(await shareSayingSo(40_000)).toBe(0)
  expect(await shareSayingSo(40_001)).toBe(1)
})

test('a long text without headings is a warning', async () => {
  const long = 'word '.repeat(500)
  expect((await check(long)).headings).toBe('warning')
  expect((await check(`${long}\n\n## More\n\n${long}`)).headings).toBe('warning')
  expect(
    (await check(`${'word '.repeat(300)}\n\n## More\n\n${'word '.repeat(300)}`)).headings,
  ).toBe('ok')
  expect((await check('Short.')).headings).toBe('ok')
})

test('the keyword belongs into the title and the first paragraph, in any order and case', async () => {
  const keyword = 'Cold Brew'
  expect((await check(ENGLISH, { keyword })).keyword).toBe('ok')
  expect((await check(`Wait.\n\n${ENGLISH}`, { keyword })).keyword).toBe('warning')
  expect((await check(`> A notice.\n> Of two lines.\n\n${ENGLISH}`, { keyword })).keyword).toBe(
    'ok',
  )
  expect((await check(`> ${ENGLISH}`, { keyword })).keyword).toBe('ok')
  expect((await check(ENGLISH, { keyword, title: 'Coffee' })).keyword).toBe('warning')
  expect(
    (await check(`${ENGLISH} ${'Cold brew is cold brew. '.repeat(10)}`, { keyword })).keyword,
  ).toBe('warning')
  expect((await check(ENGLISH)).keyword).toBeUndefined()
})

test.each([
  'Buy it from [Company Name] today.',
  'Lorem ipsum dolor sit amet.',
  'Hello {{first_name}}, welcome.',
  'TODO: write the rest',
  'As an AI language model, I cannot taste.',
  'Call us at <insert phone number>.',
])('reports the placeholder in: %s', async body => {
  expect((await check(body)).placeholder).toBe('warning')
})

test.each([
  'See [your account](https://example.com/account).',
  'Todo el mundo lo sabe.',
  'An array such as `a[0]`, and a task list: [x] done.',
])('reports no placeholder in: %s', async body => {
  expect((await check(body)).placeholder).toBe('ok')
})

test.each([
  '> ',
  '[',
  '[x](',
  '- ',
  '**',
  'https://',
  'www.',
  ' www.',
  '((',
  "a'",
  '| ',
  '![',
  '\u0301a',
  '#',
  '{{',
])('reads a text of 1 MiB of %j without delay', async part => {
  const began = process.cpuUsage()
  await check(part.repeat(1024 ** 2 / part.length), { keyword: 'x' })
  // A bound against a hang, of CPU, because a busy machine took 5 s for what takes 30 to 300 ms.
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(5_000)
})

/** A part of the CPU time of `work` that no other work of the event loop interrupted: the largest one. */
const largestPartOf = async (work: () => Promise<unknown>): Promise<number> => {
  const cpuMs = () => process.threadCpuUsage().user / 1000
  const began = cpuMs()
  let [last, largest, isOn] = [began, 0, true]
  const watch = () => {
    largest = Math.max(largest, cpuMs() - last)
    last = cpuMs()
    if (isOn) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  isOn = false
  return largest / (cpuMs() - began)
}

test('checks of many accounts at the same time leave turns of the event loop to other requests', async () => {
  const text = words(0, 20_000)
  const others = () => pagesOf(...Array.from({ length: 4 }, () => other(text)))
  await checkSimilarity(text, others())
  const largest = await largestPartOf(() =>
    Promise.all(Array.from({ length: 16 }, () => checkSimilarity(text, others()))),
  )
  expect(largest).toBeLessThan(0.05)
})

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `word${from + n}`).join(' ')
const pagesOf = async function* (...others: OtherArticle[]) {
  for (const other of others) yield [other]
}
const other = (body: string): OtherArticle => ({ id: 'art_1', title: 'Other', body })

test('a third of a text that another article has, too, is a warning that names it', async () => {
  const text = words(0, 100)
  const similar = await checkSimilarity(
    text,
    pagesOf(other(words(500, 600)), other(words(50, 150))),
  )
  expect(similar).toEqual({
    code: 'similarity',
    severity: 'warning',
    message: expect.stringMatching(/^48 % of the text is also in “Other” \(art_1\)/),
  })
  expect((await checkSimilarity(text, pagesOf(other(words(90, 190)))))?.severity).toBe('ok')
  expect((await checkSimilarity(text, pagesOf()))?.severity).toBe('ok')
  // Not compared any more: the texts before it have 2 million characters.
  const long = other('x '.repeat(100_000))
  const behind = [...Array.from({ length: 10 }, () => long), other(words(1, 100))]
  expect((await checkSimilarity(text, pagesOf(...behind)))?.severity).toBe('ok')
  expect(await checkSimilarity('Too short.', pagesOf(other('Too short.')))).toBeUndefined()
})
