/** What `test/run.ts` brings up for all tests, handed to them through these variables. */
const names = {
  /** The URL of the server's own database, whose user may create others. */
  databaseUrl: 'ARDEN_TEST_DATABASE_URL',
  temporalAddress: 'ARDEN_TEST_TEMPORAL_ADDRESS',
  /** A file with the bundled workflows. */
  workflowBundle: 'ARDEN_TEST_WORKFLOW_BUNDLE',
} as const

export type TestEnvironment = { [name in keyof typeof names]: string }

export const toVariables = (values: TestEnvironment): Record<string, string> => ({
  [names.databaseUrl]: values.databaseUrl,
  [names.temporalAddress]: values.temporalAddress,
  [names.workflowBundle]: values.workflowBundle,
})

/** Undefined when the tests were not started by `test/run.ts`. */
export const fromVariables = (env: NodeJS.ProcessEnv): TestEnvironment | undefined => {
  const databaseUrl = env[names.databaseUrl]
  const temporalAddress = env[names.temporalAddress]
  const workflowBundle = env[names.workflowBundle]
  if (!databaseUrl || !temporalAddress || !workflowBundle) return undefined
  return { databaseUrl, temporalAddress, workflowBundle }
}

/** The servers of this run. The preload has made sure that there are some. */
export const testEnvironment = (): TestEnvironment => {
  const found = fromVariables(process.env)
  if (found === undefined) throw new Error('The tests were started without test/run.ts.')
  return found
}
