import type { Project } from '../../../content/projects/schema'

/** When the rankings of a project are checked. */
export const SCHEDULES: { [schedule in Project['rank_schedule']]: string } = {
  daily: 'Every day',
  weekly: 'Every Monday',
  off: 'Only on request',
}

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The name of a language in English, because `ee` is Ewe, and Estonian `et`; undefined for a code without one. */
export const languageName = (code: string): string | undefined => {
  try {
    return languages.of(code)
  } catch {
    return undefined
  }
}

export const describeLanguage = (code: string): string => {
  const name = languageName(code)
  return name === undefined ? code : `${name} (${code})`
}

/** Which search results count as found. */
export const MATCHES: { [match in Project['domain_match']]: string } = {
  domain: 'All of its registrable domain',
  subdomains: 'This host and its subdomains',
  host: 'This host only',
}
