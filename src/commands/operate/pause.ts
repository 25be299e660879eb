import { Command } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { setAllPaused } from '../../webhooks/endpoints/pause'
import { print, printJson } from '../print'
import { withDatabase } from './database'

export const pauseCommand = () =>
  new Command('pause')
    .description('Send nothing to any webhook until "arden resume"; everything waits.')
    .option('--json', 'print whether anything changed as one JSON object')
    .action(({ json }) =>
      withDatabase(async sql => {
        const changed = await sql.begin(tx => setAllPaused(tx, cliActor(), true))
        if (json) return printJson({ paused: true, changed })
        print(
          changed
            ? 'Paused: no attempt begins from now on. What is due waits until: arden resume'
            : 'It is paused already.',
        )
      }),
    )

export const resumeCommand = () =>
  new Command('resume')
    .description('Send again after "arden pause", what has waited first.')
    .option('--json', 'print whether anything changed as one JSON object')
    .action(({ json }) =>
      withDatabase(async sql => {
        const changed = await sql.begin(tx => setAllPaused(tx, cliActor(), false))
        if (json) return printJson({ paused: false, changed })
        print(
          changed
            ? 'Resumed: what has waited is sent now. A webhook that was paused by itself stays paused.'
            : 'It is not paused.',
        )
      }),
    )
