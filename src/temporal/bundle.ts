import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { StartError } from '../errors'

const WORKFLOWS = join(import.meta.dir, '..', '..', 'workflows', 'index.ts')

/**
 * The bundled workflow code for a worker. Read from the file `prebuilt`, if given, because bundling takes 1.5 s of CPU:
 * a test run bundles once for all workers. The binary replaces the bundler (build/temporal-plugin.ts).
 */
export const workflowBundle = async (prebuilt?: string): Promise<{ code: string }> => {
  if (prebuilt !== undefined) {
    const code = await readFile(prebuilt, 'utf8').catch(error => {
      throw new StartError(
        `The file of ARDEN_WORKFLOW_BUNDLE cannot be read: ${error.message}. Correct the path, or unset it.`,
      )
    })
    return { code }
  }
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    logger: new DefaultLogger('ERROR'),
  })
  return { code }
}
