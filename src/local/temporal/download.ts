import { TestWorkflowEnvironment } from '@temporalio/testing'

/**
 * Lets the SDK download its CLI into `dir` and start it once.
 * @throws an error with the cause only.
 */
export const downloadWithSdk = async (dir: string): Promise<void> => {
  try {
    const environment = await TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir: dir } },
    })
    await environment.teardown()
  } catch (error) {
    // The message repeats the URL several times; its last part is the cause.
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(message.split(': ').at(-1) ?? message)
  }
}
