/** Servers that `test/run.ts` starts for all tests, passed to them in these variables. */
const names = {
  /** The URL of a database, whose user owns the databases of all tests and is no superuser. */
  databaseUrl: 'ARDEN_TEST_DATABASE_URL',
  /** The same server's superuser, who creates them. */
  databaseAdminUrl: 'ARDEN_TEST_DATABASE_ADMIN_URL',
  temporalAddress: 'ARDEN_TEST_TEMPORAL_ADDRESS',
  /** A file with the bundled workflows. */
  workflowBundle: 'ARDEN_TEST_WORKFLOW_BUNDLE',
} as const

export type TestEnvironment = { [name in keyof typeof names]: string }

export const toVariables = (values: TestEnvironment): Record<string, string> => ({
  [names.databaseUrl]: values.databaseUrl,
  [names.databaseAdminUrl]: values.databaseAdminUrl,
  [names.temporalAddress]: values.temporalAddress,
  [names.workflowBundle]: values.workflowBundle,
})

/** Undefined when the tests were not started by `test/run.ts`. */
export const fromVariables = (env: NodeJS.ProcessEnv): TestEnvironment | undefined => {
  const databaseUrl = env[names.databaseUrl]
  const databaseAdminUrl = env[names.databaseAdminUrl]
  const temporalAddress = env[names.temporalAddress]
  const workflowBundle = env[names.workflowBundle]
  if (!databaseUrl || !databaseAdminUrl || !temporalAddress || !workflowBundle) return undefined
  return { databaseUrl, databaseAdminUrl, temporalAddress, workflowBundle }
}

/** The servers of this run. The preload has made sure that there are some. */
export const testEnvironment = (): TestEnvironment => {
  const found = fromVariables(process.env)
  if (found === undefined) throw new Error('The tests were started without test/run.ts.')
  return found
}
