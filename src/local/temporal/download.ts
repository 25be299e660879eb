import { TestWorkflowEnvironment } from '@temporalio/testing'

/**
 * Lets the SDK download the CLI that suits it into `dir`, and try it.
 * @throws an error whose message is the cause alone.
 */
export const downloadWithSdk = async (dir: string): Promise<void> => {
  try {
    const environment = await TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir: dir } },
    })
    await environment.teardown()
  } catch (error) {
    // The message names the URL several times over; its last part is the cause.
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(message.split(': ').at(-1) ?? message)
  }
}
