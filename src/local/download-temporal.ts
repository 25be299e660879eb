import { TestWorkflowEnvironment } from '@temporalio/testing'

/** Run by fetch-temporal.ts: the SDK downloads the CLI that suits it into the given folder, and tries it. */
const [dir = '.'] = process.argv.slice(2)
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: dir } },
  })
  await environment.teardown()
} catch (error) {
  // The message names the URL several times over; its last part is the cause.
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(message.split(': ').at(-1) ?? message)
  process.exit(1)
}
