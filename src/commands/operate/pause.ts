import { Command } from '@commander-js/extra-typings'
import { cliActor } from '../../accounts/cli-actor'
import { setAllPaused } from '../../webhooks/endpoints/pause'
import { print, printJson } from '../print'
import { withDatabase } from './database'

export const pauseCommand = () =>
  new Command('pause')
    .description('Pause deliveries to all webhooks until "arden resume".')
    .option('--json', 'print whether anything changed as one JSON object')
    .action(({ json }) =>
      withDatabase(async sql => {
        const changed = await setAllPaused(sql, cliActor(), true)
        if (json) return printJson({ paused: true, changed })
        print(
          changed
            ? 'Paused: no attempt begins from now on. Continue with: arden resume'
            : 'Deliveries are paused already.',
        )
      }),
    )

export const resumeCommand = () =>
  new Command('resume')
    .description('Continue after "arden pause", with the oldest deliveries first.')
    .option('--json', 'print whether anything changed as one JSON object')
    .action(({ json }) =>
      withDatabase(async sql => {
        const changed = await setAllPaused(sql, cliActor(), false)
        if (json) return printJson({ paused: false, changed })
        print(
          changed
            ? 'Resumed: waiting deliveries are sent now. Webhooks that were paused individually stay paused.'
            : 'Deliveries are not paused.',
        )
      }),
    )
