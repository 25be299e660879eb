import { t } from 'elysia'
import { withRule } from '../../http/rule'
import {
  Id,
  NonBlank,
  Nullable,
  OneOf,
  PatchBody,
  RequestBody,
  Timestamp,
  type TypeOf,
} from '../../http/schema'
import { BriefDefaults, BriefDefaultsInput } from '../generations/brief'

/** Projects as the API returns and accepts them (contract 6.1). */

export const DomainMatch = OneOf(['domain', 'subdomains', 'host'], {
  title: 'DomainMatch',
  description:
    'Which search results count for `domain`. `domain` (default): all hosts of its registrable domain, such as `www.acme.com` for `blog.acme.com`. `subdomains`: the host and those below it. `host`: the host alone. With and without `www.` is the same host.',
  examples: ['domain'],
})
export type DomainMatch = TypeOf<typeof DomainMatch>

export const RankSchedule = OneOf(['daily', 'weekly', 'off'], {
  title: 'RankSchedule',
  description:
    'When its tracked keywords are checked: each day, each Monday, or only when a run is requested. At 04:00 in `time_zone`. `daily` when absent.',
  examples: ['daily'],
})
export type RankSchedule = TypeOf<typeof RankSchedule>

/** The name of a time zone as the IANA database writes it, whatever the case of `name`; undefined if there is none. */
export const findTimeZone = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const TimeZone = withRule(
  t.String({
    pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
    maxLength: 64,
    description: 'Of its rank tracking: a name of the IANA time zone database; `UTC` when absent.',
    examples: ['Europe/Berlin'],
  }),
  name =>
    findTimeZone(name) === undefined
      ? 'is not a time zone, such as Europe/Berlin or UTC'
      : undefined,
)

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
const isLanguage = (code: string) => languages.of(code) !== undefined
/** The codes of two letters that languages have. ICU does not have all codes of three letters. */
const CODES = LETTERS.flatMap(one => LETTERS.map(two => `${one}${two}`).filter(isLanguage))

/** Why a tag is none of a language: people write the code of a country instead. */
const describeLanguageProblem = (tag: string): string | undefined => {
  const [code = ''] = tag.split('-')
  const country = /^[a-z]{2}$/.test(code) ? countries.of(code.toUpperCase()) : undefined
  if (country === undefined || isLanguage(code)) return undefined
  const { language } = new Intl.Locale(`und-${code}`).maximize()
  return `is the code of a country, ${country}, and not of a language. ${languages.of(language)} is ${language}.`
}

const ProjectFields = {
  name: NonBlank({ maxLength: 100, examples: ['Acme blog'] }),
  domain: Nullable(
    t.String({
      pattern:
        '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+([a-z]{2,63}|xn--([a-z0-9-]{0,58}[a-z0-9]))$',
      maxLength: 253,
      description:
        'A host name in lower case, without scheme or path; other letters in their ASCII form (`xn--...`).',
      examples: ['blog.acme.com'],
    }),
  ),
  language: withRule(
    t.String({
      pattern: `^(${CODES.join('|')}|[a-z]{3})(-[A-Za-z0-9]{2,8})*$`,
      maxLength: 35,
      description: 'BCP 47, with the code of a language, not of a country; `en` when absent.',
      examples: ['en', 'pt-BR'],
    }),
    describeLanguageProblem,
  ),
  domain_match: DomainMatch,
  rank_schedule: RankSchedule,
  time_zone: TimeZone,
  style_guide: Nullable(
    t.String({
      maxLength: 10_000,
      description: 'How to write for it: its voice, what to do, and what not to do.',
      examples: ['Plain words. Address the reader as you. No superlatives.'],
    }),
  ),
}

export const Project = t.Object(
  {
    id: Id('prj'),
    ...ProjectFields,
    next_rank_run_at: Nullable(Timestamp),
    brief: BriefDefaults,
    test_mode: t.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Project' },
)
export type Project = TypeOf<typeof Project>

export const NewProject = RequestBody(
  {
    name: ProjectFields.name,
    domain: t.Optional(ProjectFields.domain),
    language: t.Optional(ProjectFields.language),
    domain_match: t.Optional(DomainMatch),
    rank_schedule: t.Optional(RankSchedule),
    time_zone: t.Optional(TimeZone),
    style_guide: t.Optional(ProjectFields.style_guide),
    brief: t.Optional(BriefDefaultsInput),
  },
  { title: 'ProjectInput' },
)
export const ProjectChanges = PatchBody(
  { ...ProjectFields, brief: BriefDefaultsInput },
  { title: 'ProjectChanges' },
)
