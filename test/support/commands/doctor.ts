import { readConfig } from '../../../src/config'
import { connect } from '../../../src/db/connect'
import type { CheckResult } from '../../../src/doctor/check'
import { checkSystem } from '../../../src/doctor/run'
import { createLog } from '../../../src/log'
import { connectTemporal } from '../../../src/temporal/connection'
import { createDatabase } from '../database'
import { stopAfterTests } from '../stop-after-tests'

type Env = Record<string, string | undefined>

/** The checks of `arden doctor` in this process, which starts sooner than the command. */
export const checkHere = async (env: Env): Promise<CheckResult[]> => {
  const config = readConfig(env)
  const sql = connect(config.databaseUrl ?? '', { name: 'test', max: 4 })
  const temporal = connectTemporal(config, createLog({ logLevel: 'fatal', logFormat: 'json' }))
  const close = temporal.then(
    ({ connection }) =>
      () =>
        connection.close(),
    () => async () => {}, // A check reports the reason.
  )
  const checks = await checkSystem({ config, sql, temporal: () => temporal })
  await sql.end({ timeout: 1 })
  await (await close)()
  return checks
}

export const one = (checks: CheckResult[], name: string) =>
  checks.find(check => check.name === name)

export const failing = (checks: CheckResult[]) =>
  checks.filter(({ status }) => status === 'fail').map(({ name }) => name)

/** Creates databases that are dropped after the tests of the file. */
export const useDatabases = () => {
  const ends: (() => unknown)[] = []
  stopAfterTests({
    stop: async () => {
      for (const end of ends.reverse()) await end()
    },
  })
  return async (options?: { unmigrated: boolean }) => {
    const { url, drop } = await createDatabase(options)
    const sql = connect(url, { name: 'test', max: 2 })
    ends.push(drop, () => sql.end())
    return { url, sql }
  }
}
