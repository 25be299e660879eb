import { Command } from '@commander-js/extra-typings'
import { printError } from '../print'

/** Hidden: `dev` runs it as a process of its own (src/local/temporal/install.ts). */
export const downloadTemporalCommand = () =>
  new Command('download-temporal').argument('<dir>').action(async dir => {
    const { downloadWithSdk } = await import('../../local/temporal/download')
    try {
      await downloadWithSdk(dir)
    } catch (error) {
      printError(error instanceof Error ? error.message : String(error))
      process.exit(1)
    }
  })
