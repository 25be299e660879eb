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
