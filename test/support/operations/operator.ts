import { afterAll, expect } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDatabase } from '../database'
import { runArden } from '../process'

/** The commands of an operator on a database of their own, with an empty data folder. */
export const useOperator = async () => {
  const { sql, url: databaseUrl } = await useDatabase()
  /** No `dev` runs on it until a test registers one. */
  const dataDir = await mkdtemp(join(tmpdir(), 'arden-operator-'))
  afterAll(() => rm(dataDir, { recursive: true }))

  /** Runs `arden <args>` as an operator does. */
  const arden = async (
    args: string[],
    env: Record<string, string> = { DATABASE_URL: databaseUrl },
  ) => {
    const { stdout, stderr, code } = await runArden(args, { ARDEN_DATA_DIR: dataDir, ...env })
    return { out: stdout, error: stderr, code }
  }
  return { sql, databaseUrl, dataDir, arden }
}

/** The result of `arden` of `useOperator` for a command that failed with `message`. */
export const failed = (message: string | RegExp, code = 4) => ({
  out: '',
  error: expect.stringMatching(message),
  code,
})
