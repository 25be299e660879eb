import { expect, test } from 'bun:test'
import pino from 'pino'
import { limiterDeps } from '../../../../test/support/content/limiter-deps'
import { refusal, useLlm } from '../../../../test/support/content/llm'
import { useDatabase } from '../../../../test/support/database'
import { until } from '../../../../test/support/until'
import { createAccount } from '../../../accounts/store'
import { readConfig } from '../../../config'
import { noMeter } from '../../../metrics/meter'
import { selectProviders } from '../providers/selection'
import { runOutline } from './run'
import { ensureOutline } from './store'

const { sql } = await useDatabase()
const llm = useLlm(() => refusal(503, 'overloaded'))

const newGeneration = async (id: string) => {
  const account = await sql.begin(tx =>
    createAccount(tx, { type: 'cli', id: 'tests', name: 'tests' }, 'Test'),
  )
  const of = { account_id: account.id, mode: 'live' }
  const project_id = `prj_${id}`
  await sql`INSERT INTO projects ${sql({ id: project_id, ...of, name: 'Blog', language: 'en' })}`
  await sql`
    INSERT INTO generations ${sql({ id, ...of, project_id, keyword: 'cold brew', status: 'RUNNING' })}`
}
const isWaiting = async (calls: number) => {
  const waiting = await sql`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return waiting.length === calls
}
const providers = selectProviders(readConfig(llm.env), limiterDeps)

test('a generation that is deleted while its first step begins is not ours, and no error', async () => {
  await newGeneration('gen_2')
  const deleted = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const transaction = sql.begin(async tx => {
    await tx`DELETE FROM generations WHERE id = 'gen_2'`
    deleted.resolve()
    await release.promise
  })
  await deleted.promise
  const log = pino({ level: 'silent' })
  const deps = { sql, providers, meter: noMeter, log, publishChange() {}, committed() {} }
  const result = runOutline(deps, { id: 'gen_2', run: 1 }, new AbortController().signal)
  await until('it waits for the deletion', () => isWaiting(1))
  release.resolve()
  await transaction
  expect(await result).toEqual({ status: 'NOT_OURS' })
})

test('a failure of the provider that is recorded twice because its row was locked counts once, and is logged', async () => {
  await newGeneration('gen_1')
  await ensureOutline(sql, 'gen_1')
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const transaction = sql.begin(async tx => {
    await tx`SELECT FROM generations FOR UPDATE`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const job = { id: 'gen_1', run: 1 }
  const codes: string[] = []
  const lines: string[] = []
  const deps = {
    sql,
    providers,
    meter: { ...noMeter, recordModelError: (code: string) => void codes.push(code) },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
    publishChange: () => {},
    committed: () => {},
  }
  const result = runOutline(deps, job, new AbortController().signal)
  await until('two calls wait for the row', () => isWaiting(2))
  release.resolve()
  await transaction
  expect(await result).toMatchObject({ status: 'FAILED', failures: 1 })
  expect(codes).toEqual(['provider_unavailable'])
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    {
      generation_id: 'gen_1',
      code: 'provider_unavailable',
      provider_text: '503 [key]: overloaded',
    },
  ])
  expect(await sql`SELECT failures FROM generation_steps`).toMatchObject([{ failures: 1 }])
})
