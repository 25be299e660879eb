import { beforeAll, describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'

/** Contract 1.12. */

const arden = await useArden({ serve: true })
const live = await arden.client()
const projectOf = async (name: string, domain: string | null = null): Promise<string> =>
  (await live.post('/projects', { name, domain })).body.data.id
const project = await projectOf('Coffee blog', 'blog.acme.com')

const search = async (path: string, text: string) => {
  const { status, body } = await live.get(`${path}?search=${encodeURIComponent(text)}`)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}

/** More words than are searched one by one. */
const LONG = 'one two three four five six seven eight nine ten  eleven twelve'

describe('a list is searched by', () => {
  beforeAll(async () => {
    await projectOf('Tea')
    await projectOf('Café Mountains', 'xn--gipfelglck-heb.de')
    await projectOf(LONG)
    await projectOf('한국 ガ ≠')
    await projectOf('Cœur : l’os, Łódź')
    await projectOf('ΣΚΑΦΟΣ με πλήρωμα')
    await projectOf('Vikinga\u00adtida silver\u200bskål, کتاب\u200cها')
    for (const keyword of ['Cold brew coffee', 'Crème brûlée'])
      await live.post(`/projects/${project}/keywords`, { keyword })
    for (const title of ['Ten ways to brew coffee', 'Tea'])
      await live.post('/articles', {
        project_id: project,
        title,
        body: 'All about tea and coffee.',
      })
    for (const [path, description] of [
      ['first', 'Publishes to the blog'],
      ['second', null],
    ])
      await live.post('/webhooks', {
        url: `http://127.0.0.1:9/${path}`,
        events: ['article.created'],
        description,
      })
    const [keyword] = await search(`/projects/${project}/keywords`, 'cold')
    await live.post('/generations', { keyword_id: keyword.id })
  })

  test.each([
    ['name of a project', '/projects', 'COFFEE', ['Coffee blog']],
    ['domain of a project', '/projects', 'acme.com', ['Coffee blog']],
    ['domain of a project in its own letters', '/projects', 'Gipfelglück', ['Café Mountains']],
    ['name and domain of a project', '/projects', 'gipfelglück.de café', ['Café Mountains']],
    ['the words of a long name, in order', '/projects', LONG.toUpperCase(), [LONG]],
    [
      'words without what is invisible in them',
      '/projects',
      'vikingatida silverskål کتابها',
      ['Vikinga\u00adtida silver\u200bskål, کتاب\u200cها'],
    ],
    ['words with what is invisible in them', '/projects', 'cof\u00adfee blog', ['Coffee blog']],
    ['a word many times', '/projects', 'tea '.repeat(20), ['Tea']],
    ['keyword', `/projects/${project}/keywords`, 'CRÈME', ['Crème brûlée']],
    [
      'keyword in another Unicode form',
      `/projects/${project}/keywords`,
      'cre\u0300me',
      ['Crème brûlée'],
    ],
    ['keyword without its marks', `/projects/${project}/keywords`, 'Brulee', ['Crème brûlée']],
    ['marks that the keyword lacks', `/projects/${project}/keywords`, 'cöld', ['Cold brew coffee']],
    [
      'letters without a key on most keyboards',
      '/projects',
      "coeur l'OS LODZ",
      ['Cœur : l’os, Łódź'],
    ],
    ['the same letters', '/projects', 'CŒUR l’os łódź', ['Cœur : l’os, Łódź']],
    ['a Greek word in lower case', '/projects', 'σκάφος', ['ΣΚΑΦΟΣ με πλήρωμα']],
    ['a Greek word in capitals', '/projects', 'ΠΛΗΡΩΜΑ Σκάφος', ['ΣΚΑΦΟΣ με πλήρωμα']],
    ['letters and signs that are no accents, as they are', '/projects', '하', []],
    ['kana as they are', '/projects', 'カ', []],
    ['signs as they are', '/projects', '=', []],
    ['all of them', '/projects', '한국 ガ ≠', ['한국 ガ ≠']],
    ['title of an article', '/articles', 'brew COFF', ['Ten ways to brew coffee']],
    ['words in another order', '/articles', 'coffee ways TEN', ['Ten ways to brew coffee']],
    ['words of which one is missing', '/articles', 'coffee tea', []],
    ['words in URL and description', '/webhooks', 'blog first', ['http://127.0.0.1:9/first']],
    ['slug of an article', '/articles', 'to-brew-c', ['Ten ways to brew coffee']],
    ['title, not the body, of an article', '/articles', 'about', []],
    ['keyword of a generation', '/generations', 'Brew', ['Cold brew coffee']],
    ['URL of a webhook', '/webhooks', '/FIRST', ['http://127.0.0.1:9/first']],
    ['description of a webhook', '/webhooks', 'the blog', ['http://127.0.0.1:9/first']],
    ['text with spaces around it', '/projects', '  tea  ', ['Tea']],
  ])('%s', async (_, path, text, found) => {
    const records = await search(path, text)
    const names = records.map(
      (one: Record<string, string>) => one.name ?? one.title ?? one.keyword ?? one.url,
    )
    expect(names).toEqual(found)
  })

  test('text and other filters together', async () => {
    const { body } = await live.get(
      `/articles?search=coffee&project_id=${project}&status=PUBLISHED`,
    )
    expect(body).toEqual({ data: [], next_cursor: null })
  })
})

test('text that is blank or too long is refused', async () => {
  for (const [text, message] of [
    ['', 'search: must not be empty'],
    ['%20', 'search: must not be blank'],
    ['x'.repeat(301), 'search: must have at most 300 characters'],
    ['%00', 'search: must not contain the character U+0000 or half of a surrogate pair'],
  ] as const) {
    const { status, body } = await live.get(`/projects?search=${text}`)
    expect([status, body.message]).toEqual([422, message])
  }
})
