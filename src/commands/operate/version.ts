import { Command } from '@commander-js/extra-typings'
import { migrations } from '../../db/migrations'
import { commit, version } from '../../version'
import { print, printJson } from '../print'

export const versionCommand = () =>
  new Command('version')
    .description('Show the version, the commit, and the platform of the binary.')
    .option('--json', 'print it as one JSON object')
    .action(({ json }) => {
      const about = {
        version,
        commit: commit ?? workTreeCommit() ?? null,
        schema: migrations.length,
        bun: Bun.version,
        platform: `${process.platform}-${process.arch}`,
      }
      if (json) printJson(about)
      else
        print(
          `arden ${version} (commit ${about.commit ?? 'unknown'}, schema ${about.schema}, Bun ${about.bun}, ${about.platform})`,
        )
    })

/** The commit of the source that runs; undefined without Git. */
const workTreeCommit = (): string | undefined => {
  if (Bun.which('git') === null) return undefined
  const command = ['git', 'describe', '--always', '--dirty', '--exclude=*']
  const { success, stdout } = Bun.spawnSync(command, { cwd: import.meta.dir, stderr: 'ignore' })
  return success ? stdout.toString().trim() : undefined
}
