import { afterAll } from 'bun:test'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { connectTemporal, type Temporal } from '../../src/temporal/connection'

/** The Temporal of the settings `env`; the connection is closed after the tests of the file or `describe`. */
export const useTemporal = async (env: Record<string, string>): Promise<Temporal> => {
  const config = readConfig(env)
  const temporal = await connectTemporal(config, createLog(config))
  afterAll(() => temporal.connection.close())
  return temporal
}
