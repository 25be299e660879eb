import type { Project } from '../../../content/projects/schema'

/** When the rankings of a project are checked. */
export const SCHEDULES: { [schedule in Project['rank_schedule']]: string } = {
  daily: 'Every day',
  weekly: 'Every Monday',
  off: 'Only on request',
}

/** Which search results count as found. */
export const MATCHES: { [match in Project['domain_match']]: string } = {
  domain: 'All of its registrable domain',
  subdomains: 'This host and its subdomains',
  host: 'This host only',
}
