import type { Project } from '@arden/sdk'
import { Command } from '@commander-js/extra-typings'
import { EXIT, StartError } from '../../errors'
import { table } from '../print'
import { apiCommand } from './connection'
import {
  choiceOption,
  emptyToNull,
  idArgument,
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
const LANGUAGE = ['--language <tag>', 'language of its articles, such as en or pt-BR'] as const

export const projectsCommand = () =>
  new Command('projects')
    .description('Projects: list, show, create, update, delete.')
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

const createCommand = () =>
  apiCommand('create')
    .description('Create a project.')
    .requiredOption(...NAME)
    .option(...DOMAIN)
    .addOption(domainMatch())
    .option(...LANGUAGE)
    .action(({ name, domain, domainMatch: domain_match, language, ...options }) =>
      printRecord(options, api =>
        api.post('/projects', {
          body: { name, ...withoutAbsent({ domain: emptyToNull(domain), domain_match, language }) },
        }),
      ),
    )

const updateCommand = () =>
  apiCommand('update')
    .description('Change a project.')
    .argument(...idArgument(PROJECT))
    .option(...NAME)
    .option(...DOMAIN)
    .addOption(domainMatch())
    .option(...LANGUAGE)
    .action((id, { name, domain, domainMatch: domain_match, language, ...options }) => {
      const body = toChanges({ name, domain: emptyToNull(domain), domain_match, language })
      return printRecord(options, api => api.patch('/projects/{id}', { path: { id }, body }))
    })

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
    ...projects.map(one => [one.id, one.name, one.domain ?? '', one.language, one.created_at]),
  ])
