import { describe, expect, test } from 'bun:test'
import { EVENT_TYPES } from '../../src/webhooks/events/types'
import { useArden } from '../support/arden'
import { oneOfEach } from '../support/http/one-of-each'

/** Contract 2.1: rules that the OpenAPI document cannot express are reported with everything else that is wrong. */

const arden = await useArden({ serve: true })
const live = await arden.client()
const { project, keyword } = await oneOfEach(live)

const messagesOf = (body: { details: { path: string; message: string }[] }) =>
  Object.fromEntries(body.details.map(({ path, message }) => [path, message]))

describe('a body', () => {
  test.each([
    [
      '/api-keys',
      { name: '', scopes: [], expires_at: '2026-01-31T12:00:00Z' },
      {
        name: 'must not be empty',
        scopes: 'must have at least 1 item',
        expires_at: 'must be a time in the future. Leave it out for no expiry.',
      },
    ],
    [
      '/api-keys',
      { name: 'CI', scopes: ['read', 'write', 'delete'] },
      { scopes: 'must have at most 2 items, each one of "read", "write"' },
    ],
    [
      `/projects/${project}/keywords`,
      { keyword: `  ${'k'.repeat(201)}  `, country: 'XX', device: 'watch', colour: 'red' },
      {
        keyword: 'must have at most 200 characters',
        country: 'must be a country code of ISO 3166-1 in capitals, such as US or DE',
        device: 'must be one of "desktop", "mobile"',
        colour: 'is not a member of this request',
      },
    ],
    [
      `/keywords/${keyword}/rankings`,
      { position: 101, url: 'ftp://acme.com', checked_at: '2999-01-31T12:00:00Z' },
      {
        position: 'must be a whole number from 1 to 100',
        url: 'must be an http or https URL, or null',
        checked_at: 'is in the future. Check your clock, or leave it out for now.',
      },
    ],
    [
      '/webhooks',
      { url: 'https://example.com/#here', events: ['article.sold'] },
      {
        url: 'must not contain a fragment (#...), because it is never sent',
        'events.0': expect.stringContaining('"article.created"'),
      },
    ],
    [
      '/webhooks',
      {
        url: 'https://example.com/',
        events: ['article.created'],
        headers: { 'X-Empty': '', Host: 'a', 'X-Team': 'ok', 'a b': 'c', 'X-Accent': 'é' },
      },
      {
        'headers.X-Empty': 'must not be empty',
        'headers.Host': 'is set by Arden or by the connection. Choose another name.',
        'headers.a b': expect.stringContaining('must be the name of an HTTP header'),
        'headers.X-Accent': expect.stringContaining('has the wrong format'),
      },
    ],
    [
      `/projects/${project}/keywords`,
      { keyword: ['k'], country: [null], tags: [['t']] },
      {
        keyword: expect.stringContaining('must be a string'),
        country: expect.stringContaining('must be'),
        'tags.0': expect.stringContaining('must be a string'),
      },
    ],
    [
      '/articles',
      {
        project_id: project,
        title: '',
        status: 'PUBLISHED',
        scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      },
      {
        title: 'must not be empty',
        scheduled_at: expect.stringContaining('can only be set while the status is DRAFT'),
      },
    ],
    [
      `/projects/${project}/keywords/batch`,
      { keywords: [{ keyword: '', country: 'ZZ' }, { keyword: 'k', country: 'XX' }, 'k'] },
      {
        'keywords.0.keyword': 'must not be empty',
        'keywords.0.country': 'must be a country code of ISO 3166-1 in capitals, such as US or DE',
        'keywords.1.country': 'must be a country code of ISO 3166-1 in capitals, such as US or DE',
        'keywords.2': 'must be a JSON object',
      },
    ],
  ])('of POST %s', async (path, wrong, messages) => {
    const { status, body } = await live.post(path, wrong)
    expect([status, messagesOf(body)]).toEqual([422, messages])
  })

  test('has an example in the message of a wrong format, and the number of the errors beyond three', async () => {
    const { body } = await live.post('/articles', {
      project_id: 'prj_1',
      keyword_id: 'kw_1',
      title: '',
      slug: '-',
      status: 'GONE',
    })
    expect(body.details).toContainEqual({
      path: 'project_id',
      message:
        'has the wrong format: The id of the project it belongs to. Example: prj_01kafz3v5tf4qrm8z3x9d2c7ne',
    })
    expect(body.details).toHaveLength(5)
    expect(body.message).toEndWith('; 2 more in details')
    expect(body.message).not.toContain('.;')
  })

  test('of which one text is too long is refused for that alone', async () => {
    const wrong = { keyword: 'k'.repeat(1_001), country: 'XX', colour: 'red' }
    const { body } = await live.post(`/projects/${project}/keywords`, wrong)
    expect(messagesOf(body)).toEqual({ keyword: 'must have at most 1000 characters' })
  })
})

describe('a query', () => {
  test('of a list', async () => {
    const wrong = new URLSearchParams([
      ['limit', '0'],
      ['cursor', Buffer.from('prj_1').toString('base64url')],
      ['status', 'GONE'],
      ['project_id', 'abc'],
      ['keyword_id', 'kw_1'],
      ['keyword_id', 'kw_2'],
      ['created_after', 'yesterday'],
      ['created_before', '2026-01-31T13:00:00 01:00'],
      ['stauts', 'DRAFT'],
    ])
    const { status, body } = await live.get(`/articles?${wrong}`)
    expect([status, messagesOf(body)]).toEqual([
      422,
      {
        limit: 'must be a whole number from 1 to 100',
        cursor: 'is not a next_cursor of this list. Omit it to start with the newest record.',
        status: 'must be one of "DRAFT", "PUBLISHED"',
        project_id: 'has the wrong format. Example: prj_01kafz3v5tf4qrm8z3x9d2c7ne',
        keyword_id: 'occurs more than once. Send one value.',
        created_after:
          'must be an existing date and time with a time zone (ISO 8601), such as 2026-01-31T12:00:00.000Z or 2026-01-31T13:00:00+01:00',
        created_before: 'has a space where its offset begins. Write + as %2B in a URL.',
        stauts: 'is not a member of this request',
      },
    ])
  })

  test.each([
    [
      `/projects/${project}/keywords?country=us&device=watch`,
      {
        country: 'must be a country code of ISO 3166-1 in capitals, such as US or DE',
        device: 'must be one of "desktop", "mobile"',
      },
    ],
    [
      '/events/stream?events=article.created,article.sold&colour=red',
      {
        events: `contains "article.sold", which is not an event type. The event types are: ${EVENT_TYPES.join(', ')}.`,
        colour: 'is not a member of this request',
      },
    ],
  ])('of GET %s', async (path, messages) => {
    const { status, body } = await live.get(path)
    expect([status, messagesOf(body)]).toEqual([422, messages])
  })
})
