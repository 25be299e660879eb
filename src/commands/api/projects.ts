import type { Project, RankRun } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { readableDomain, toDomain } from '../../domain-name'
import { EXIT, StartError } from '../../errors'
import { idArgument } from '../ids'
import { table } from '../print'
import { apiCommand } from './connection'
import {
  choiceOption,
  emptyToNull,
  listCommand,
  printList,
  printRecord,
  recordCommand,
  searchOption,
  toChanges,
  withoutAbsent,
} from './records'

const PROJECT = ['project', 'prj'] as const

const NAME = ['--name <name>', '1 to 100 characters'] as const
const DOMAIN = ['--domain <host>', 'host name of its site; empty removes it'] as const
const domainMatch = () =>
  choiceOption('--domain-match <hosts>', 'which search results count for the domain', [
    'domain',
    'subdomains',
    'host',
  ])
const schedule = () =>
  choiceOption('--rank-schedule <when>', 'when its tracked keywords are checked', [
    'daily',
    'weekly',
    'off',
  ])
const TIME_ZONE = ['--time-zone <name>', 'of its rank tracking, such as Europe/Berlin'] as const
const LANGUAGE = ['--language <tag>', 'language of its articles, such as en or pt-BR'] as const

export const projectsCommand = () =>
  new Command('projects')
    .description('Projects: list, show, create, update, delete, rank, rank-runs.')
    .addCommand(
      listCommand('projects')
        .addOption(searchOption('name or domain'))
        .action(({ search, ...options }) =>
          printList(options, { none: 'No projects.', toTable: projectTable }, (api, page) =>
            api.list('/projects', { query: { ...page, ...withoutAbsent({ search }) } }),
          ),
        ),
    )
    .addCommand(
      recordCommand('show', 'Show a project.', PROJECT, (api, id) =>
        api.get('/projects/{id}', { path: { id } }),
      ),
    )
    .addCommand(createCommand())
    .addCommand(updateCommand())
    .addCommand(deleteCommand())
    .addCommand(rankCommand())
    .addCommand(rankRunsCommand())

const createCommand = () =>
  apiCommand('create')
    .description('Create a project.')
    .requiredOption(...NAME)
    .option(...DOMAIN)
    .addOption(domainMatch())
    .addOption(schedule())
    .option(...TIME_ZONE)
    .option(...LANGUAGE)
    .action(options => {
      const { name, ...members } = toMembers(options)
      const body = { name: options.name, ...withoutAbsent(members) }
      return printRecord(options, api => api.post('/projects', { body }))
    })

const updateCommand = () =>
  apiCommand('update')
    .description('Change a project.')
    .argument(...idArgument(PROJECT))
    .option(...NAME)
    .option(...DOMAIN)
    .addOption(domainMatch())
    .addOption(schedule())
    .option(...TIME_ZONE)
    .option(...LANGUAGE)
    .action((id, options) => {
      const body = toChanges(toMembers(options))
      return printRecord(options, api => api.patch('/projects/{id}', { path: { id }, body }))
    })

type MemberOptions = {
  name?: string
  domain?: string
  domainMatch?: Project['domain_match']
  rankSchedule?: Project['rank_schedule']
  timeZone?: string
  language?: string
}

const toMembers = (options: MemberOptions) => ({
  name: options.name,
  domain: emptyToNull(options.domain && toDomain(options.domain)),
  domain_match: options.domainMatch,
  rank_schedule: options.rankSchedule,
  time_zone: options.timeZone,
  language: options.language,
})

const rankCommand = () =>
  apiCommand('rank')
    .description('Check the tracked keywords of a project now, and print the run.')
    .argument(...idArgument(PROJECT))
    .action((id, options) =>
      printRecord(options, api => api.post('/projects/{id}/rank-runs', { path: { id } })),
    )

const rankRunsCommand = () =>
  listCommand('the runs of the rank tracking of a project')
    .name('rank-runs')
    .argument(...idArgument(PROJECT))
    .action((id, options) =>
      printList(options, { none: 'No runs.', toTable: rankRunTable }, (api, page) =>
        api.list('/projects/{id}/rank-runs', { path: { id }, query: page }),
      ),
    )

const deleteCommand = () =>
  apiCommand('delete')
    .description('Delete a project with its keywords, articles and generations, permanently.')
    .argument(...idArgument(PROJECT))
    .option('--yes', 'delete it with everything in it')
    .action((id, { yes, ...options }) => {
      if (!yes)
        throw new StartError(
          `Deleting ${id} also deletes its keywords, articles and generations. Repeat the command with --yes.`,
          { exitCode: EXIT.usage },
        )
      return printRecord(
        options,
        api => api.delete('/projects/{id}', { path: { id } }),
        () => `Deleted ${id} with everything in it.`,
      )
    })

const projectTable = (projects: readonly Project[]): string =>
  table([
    ['ID', 'NAME', 'DOMAIN', 'LANGUAGE', 'CREATED'],
    ...projects.map(one => [
      one.id,
      one.name,
      readableDomain(one.domain ?? ''),
      one.language,
      one.created_at,
    ]),
  ])

const rankRunTable = (runs: readonly RankRun[]): string =>
  table([
    ['ID', 'TRIGGER', 'STATUS', 'KEYWORDS', 'RANKED', 'FAILED', 'SEARCHES', 'USD', 'CREATED'],
    ...runs.map(one => [
      one.id,
      one.trigger,
      one.status,
      String(one.keywords),
      String(one.ranked),
      String(one.failed),
      String(one.searches),
      one.cost_usd === null ? 'unknown' : String(one.cost_usd),
      one.created_at,
    ]),
  ])
