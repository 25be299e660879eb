import { expect, test } from 'bun:test'
import { readConfig } from '../config'

test('the public URL is an origin, because Arden serves no path below another', () => {
  const publicUrl = (url: string) => readConfig({ ARDEN_PUBLIC_URL: url }).publicUrl
  expect(publicUrl('https://Arden.example.com:8443/')).toBe('https://arden.example.com:8443')
  for (const url of ['https://a.example/app', 'https://a.example/?x', 'https://u@a.example'])
    expect(() => publicUrl(url)).toThrow(
      'ARDEN_PUBLIC_URL has more than a scheme, a host and a port',
    )
})

test.each([
  ['ARDEN_LLM_API_KEY', '"sk-secret"'],
  ['DATABASE_URL', "'postgres://arden:sk-secret@db/arden'"],
  ['TEMPORAL_API_KEY', '"sk-secret"\r'],
])('%s: quotation marks around a value are named without showing it', (name, value) => {
  const read = () => readConfig({ [name]: value })
  expect(read).toThrow(`${name} is in quotation marks`)
  expect(read).not.toThrow('sk-secret')
})

test('a carriage return at the end of a value is no part of it', () => {
  const config = readConfig({ PORT: '3100\r', ARDEN_TASK_QUEUE: 'two\r', LOG_LEVEL: '\r' })
  expect(config).toMatchObject({ port: 3100, taskQueue: 'two', logLevel: 'info' })
})

test('quotation marks within a value are part of it', () => {
  const env = {
    ARDEN_MAIL_FROM: '"Arden, Inc." <arden@example.com>',
    ARDEN_SMTP_URL: 'smtp://localhost:2525',
    ARDEN_PUBLIC_URL: 'https://arden.example.com',
  }
  expect(readConfig(env).mail?.from).toEqual({ name: 'Arden, Inc.', address: 'arden@example.com' })
})

test('each invalid setting is named, and none that is missing only because another is invalid', () => {
  const env = {
    PORT: '70000',
    LOG_LEVEL: 'loud',
    ARDEN_SERP_PROVIDER: 'serpapii',
    ARDEN_SERP_API_KEY: 'sk-secret',
  }
  const read = () => readConfig(env)
  expect(read).toThrow(
    /^PORT is "70000", .*\nLOG_LEVEL is "loud", .*\nARDEN_SERP_PROVIDER is "serpapii", [^\n]*$/,
  )
})
