import { expect, test } from 'bun:test'
import { readConfig } from '../config'
import { SettingError } from './reader'

const KEY = { ARDEN_SERP_API_KEY: 'login:secret' }

test('a provider and its key are enough', () => {
  expect(readConfig({ ARDEN_SERP_PROVIDER: 'serpapi', ...KEY }).serp).toEqual({
    provider: 'serpapi',
    url: 'https://serpapi.com',
    apiKey: 'login:secret',
    priceUsd: 0.015,
    depth: 100,
  })
  expect(readConfig({ ARDEN_SERP_PROVIDER: 'serper', ...KEY }).serp).toMatchObject({
    url: 'https://google.serper.dev',
    priceUsd: 0.001,
  })
  expect(readConfig({ ARDEN_SERP_PROVIDER: 'dataforseo', ...KEY }).serp).toMatchObject({
    url: 'https://api.dataforseo.com',
    priceUsd: null,
  })
})

test('without a provider, a URL is that of a service of the operator', () => {
  expect(readConfig({}).serp).toBeUndefined()
  expect(readConfig({ ARDEN_SERP_URL: 'https://serp.example/x' }).serp).toEqual({
    provider: 'http',
    url: 'https://serp.example/x',
    apiKey: undefined,
    priceUsd: null,
    depth: 100,
  })
})

test('price, depth and URL replace those of the provider', () => {
  const env = {
    ARDEN_SERP_PROVIDER: 'dataforseo',
    ARDEN_SERP_URL: 'https://sandbox.dataforseo.com',
    ARDEN_SERP_PRICE: '0.0035',
    ARDEN_SERP_DEPTH: '30',
    ...KEY,
  }
  expect(readConfig(env).serp).toMatchObject({
    url: 'https://sandbox.dataforseo.com',
    priceUsd: 0.0035,
    depth: 30,
  })
})

test.each([
  [{ ARDEN_SERP_PROVIDER: 'serpapi' }, 'ARDEN_SERP_API_KEY is not set'],
  [KEY, 'ARDEN_SERP_PROVIDER is not set, but ARDEN_SERP_API_KEY is'],
  [{ ARDEN_SERP_PROVIDER: 'bing', ...KEY }, 'ARDEN_SERP_PROVIDER is "bing"'],
  [{ ARDEN_SERP_PROVIDER: 'http' }, 'ARDEN_SERP_URL is not set'],
  [{ ARDEN_SERP_PROVIDER: 'dataforseo', ARDEN_SERP_API_KEY: 'secret' }, 'is not login:password'],
  [
    { ARDEN_SERP_PROVIDER: 'serper', ARDEN_SERP_PRICE: '$1', ...KEY },
    'ARDEN_SERP_PRICE is not an amount',
  ],
  [{ ARDEN_SERP_PROVIDER: 'serper', ARDEN_SERP_DEPTH: '200', ...KEY }, 'ARDEN_SERP_DEPTH'],
])('%o is refused: %s', (env, message) => {
  expect(() => readConfig(env)).toThrow(SettingError)
  expect(() => readConfig(env)).toThrow(message)
  expect(() => readConfig(env)).not.toThrow('secret')
})
