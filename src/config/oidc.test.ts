import { expect, test } from 'bun:test'
import { readConfig } from '../config'

const BASE = {
  ARDEN_OIDC_ISSUER: 'https://id.example.com',
  ARDEN_OIDC_CLIENT_ID: 'arden',
  ARDEN_OIDC_CLIENT_SECRET: 'hunter2',
  ARDEN_PUBLIC_URL: 'https://arden.example.com',
}
const read = (changed: Record<string, string> = {}) => readConfig({ ...BASE, ...changed }).oidc

test('reads the provider', () => {
  expect(read()).toEqual({
    issuer: 'https://id.example.com',
    clientId: 'arden',
    clientSecret: 'hunter2',
  })
  expect(readConfig({ ARDEN_PUBLIC_URL: BASE.ARDEN_PUBLIC_URL }).oidc).toBeUndefined()
})

test('refuses an incomplete provider, and one without TLS', () => {
  for (const name of Object.keys(BASE))
    expect(() => read({ [name]: '' })).toThrow(`${name} is not set`)
  expect(() => read({ ARDEN_OIDC_ISSUER: 'http://id.example.com' })).toThrow('https://')
  expect(read({ ARDEN_OIDC_ISSUER: 'http://127.0.0.1:4000' })?.issuer).toBe('http://127.0.0.1:4000')
})
