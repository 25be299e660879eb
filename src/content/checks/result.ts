import { t } from 'elysia'
import { OneOf, type TypeOf } from '../../http/schema'

/** What a check of an article finds (contract 6.15). */

const CHECK_CODES = [
  'language',
  'length',
  'headings',
  'keyword',
  'placeholder',
  'links',
  'similarity',
] as const

export const CheckResult = t.Object(
  {
    code: OneOf(CHECK_CODES, { title: 'CheckCode', examples: ['length'] }),
    severity: OneOf(['ok', 'warning'], {
      description: '`warning`: look at it before you publish.',
      examples: ['ok'],
    }),
    message: t.String({ examples: ['The text has 1180 words; the brief asks for about 1200.'] }),
  },
  { title: 'CheckResult' },
)
export type CheckResult = TypeOf<typeof CheckResult>
export type CheckCode = CheckResult['code']

export const ok = (code: CheckCode, message: string): CheckResult => ({
  code,
  severity: 'ok',
  message,
})

export const warning = (code: CheckCode, message: string): CheckResult => ({
  code,
  severity: 'warning',
  message,
})
