import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { StartError } from '../errors'

const WORKFLOWS = join(import.meta.dir, '..', '..', 'workflows', 'index.ts')

/**
 * The code of the workflows as a worker takes it. Read from `prebuilt` where that is given, for bundling
 * takes 1.5 s of a core: the test run does it once for all its workers. In the binary, what the build has
 * bundled stands in for the bundler (build/temporal-plugin.ts), and no source is read.
 */
export const workflowBundle = async (prebuilt?: string): Promise<{ code: string }> => {
  if (prebuilt !== undefined) {
    const code = await readFile(prebuilt, 'utf8').catch(error => {
      throw new StartError(`ARDEN_WORKFLOW_BUNDLE cannot be read: ${error.message}.`)
    })
    return { code }
  }
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    logger: new DefaultLogger('ERROR'),
  })
  return { code }
}
