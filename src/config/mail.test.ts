import { expect, test } from 'bun:test'
import { readConfig } from '../config'

const BASE = {
  ARDEN_SMTP_URL: 'smtp://mail.example.com',
  ARDEN_MAIL_FROM: 'Arden <arden@example.com>',
  ARDEN_PUBLIC_URL: 'https://arden.example.com',
}
const read = (changed: Record<string, string> = {}) => readConfig({ ...BASE, ...changed }).mail

test('reads the mail server and the sender', () => {
  expect(read()).toEqual({
    smtp: { host: 'mail.example.com', port: 587, isTls: false, auth: undefined },
    from: { name: 'Arden', address: 'arden@example.com' },
  })
  expect(
    read({
      ARDEN_SMTP_URL: 'smtps://ar%40den:p%2Fw@[::1]:2465/',
      ARDEN_MAIL_FROM: 'a@example.com',
    }),
  ).toEqual({
    smtp: { host: '::1', port: 2465, isTls: true, auth: { user: 'ar@den', pass: 'p/w' } },
    from: { name: '', address: 'a@example.com' },
  })
  expect(read({ ARDEN_SMTP_URL: 'smtps://mail.example.com' })?.smtp.port).toBe(465)
  expect(readConfig({}).mail).toBeUndefined()
})

test('refuses settings without the others that email needs', () => {
  expect(() => read({ ARDEN_SMTP_URL: '' })).toThrow('ARDEN_SMTP_URL is not set')
  expect(() => read({ ARDEN_MAIL_FROM: '' })).toThrow('ARDEN_MAIL_FROM is not set')
  expect(() => read({ ARDEN_PUBLIC_URL: '' })).toThrow('ARDEN_PUBLIC_URL is not set')
})

test('refuses a URL or a sender that is not one, without showing the password', () => {
  for (const url of [
    'mail.example.com',
    'http://mail.example.com',
    'smtp://u:secret@h/?tls=no',
    'smtp://u:secret@h/x',
    'smtp://u:secret%@h',
  ]) {
    const error = (() => {
      try {
        return read({ ARDEN_SMTP_URL: url })
      } catch (error) {
        return String(error)
      }
    })()
    expect(error).toContain('ARDEN_SMTP_URL')
    expect(error).not.toContain('secret')
  }
  for (const from of [
    'Arden',
    'a@example.com, b@example.com',
    'A <a@example.com> x',
    '<>',
    'a@b\r\nBcc: c@d',
  ])
    expect(() => read({ ARDEN_MAIL_FROM: from })).toThrow('ARDEN_MAIL_FROM')
})
