import { beforeAll, describe, expect, test } from 'bun:test'
import { hostname } from 'node:os'
import type { History } from '@temporalio/common/lib/proto-utils'
import { Worker } from '@temporalio/worker'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { workflowBundle } from '../../src/temporal/bundle'
import { installTemporalRuntime } from '../../src/temporal/runtime'
import * as workflows from '../../workflows'
import { type RecordedHistory, recordedHistories } from '../histories/files'
import { testEnvironment } from '../support/environment'

/**
 * Workflows that were begun by an older Arden go on with the code of this one: given what happened to them,
 * it must come to the same decisions (test/histories/README.md).
 */

const recorded = await recordedHistories()
let code: string

beforeAll(async () => {
  // A violation is what some of these tests are about; the SDK logs each.
  installTemporalRuntime(createLog(readConfig({ LOG_LEVEL: 'fatal' })))
  code = (await workflowBundle(testEnvironment().workflowBundle)).code
})

/** The errors of the histories that this code cannot go on with. */
const replay = async (code: string, histories: { file: string; history: History }[]) => {
  const failed: Record<string, string> = {}
  // The id of a child workflow begins with that of its parent.
  const idOf = ({ events }: History) =>
    events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? ''
  const fileOf = new Map(histories.map(({ file, history }) => [idOf(history), file]))
  expect(fileOf.size).toBe(histories.length)
  const results = Worker.runReplayHistories(
    { workflowBundle: { code }, replayName: `replay-${crypto.randomUUID()}` },
    histories.map(({ history }) => ({ workflowId: idOf(history), history })),
  )
  for await (const { workflowId, error } of results)
    if (error !== undefined)
      failed[fileOf.get(workflowId) ?? ''] = `${error.name}: ${error.message}`
  return failed
}

test('each workflow goes on from every history that was recorded of it', async () => {
  expect(await replay(code, recorded)).toEqual({})
})

test('there are histories of every workflow, with each of its ends', () => {
  const files = new Set(recorded.map(({ file }) => file.split('/')[1]))
  expect(Object.keys(workflows).sort()).toEqual(
    [...new Set(recorded.map(({ workflow }) => workflow))].sort(),
  )
  expect([...files]).toEqual(
    expect.arrayContaining(
      [
        'deliverWebhook.delivered-at-once',
        'deliverWebhook.delivered-second',
        'deliverWebhook.failed',
        'deliverWebhook.infrastructure-error',
        'deliverWebhook.cancelled',
        'deliverWebhook.cancelled-in-attempt',
        'deliverWebhook.paused',
        'generateArticle.written',
        'generateArticle.written-second',
        'generateArticle.failed',
        'generateArticle.outline-approved',
        'generateArticle.cancelled',
        'generateArticle.infrastructure-error',
        'generateArticle.rate-limited',
        'generateArticle.cancelled-in-temporal',
        'runRankTracking.two-batches',
        'runRankTracking.rate-limited',
        'runRankTracking.refused',
        'runRankTracking.no-provider',
        'trackRankingShard.two-batches',
        'trackRankingShard.rate-limited',
        'trackRankingShard.refused',
        'trackRankings.two-batches',
        'trackRankings.refused',
        'trackRankings.no-provider',
        'expire.nothing-to-do',
        'publishScheduled.nothing-scheduled',
        'publishScheduled.one-in-its-minute',
      ].map(name => `${name}.json`),
    ),
  )
})

describe('a change that decides otherwise fails here', () => {
  const of = (name: string): RecordedHistory[] =>
    recorded.filter(({ file }) => file.endsWith(`/${name}.json`))

  /** In a workflow this is a timer of Temporal's. */
  const PAUSE = 'await new Promise(go => setTimeout(go, 1000));'

  test.each([
    [
      'a pause before what there was',
      'deliverWebhook.delivered-at-once',
      'return await untilFinal(delivery)',
      `${PAUSE} return await untilFinal(delivery)`,
    ],
    ['an activity less', 'generateArticle.written', 'await beginGeneration(job);', ''],
    [
      'a step less',
      'generateArticle.outline-approved',
      'return await completeArticle(job);',
      "return { status: 'COMPLETED', articleId: null };",
    ],
    ['nothing done at all', 'expire.nothing-to-do', 'return await expireOld(last);', ''],
    [
      'a pause between batches',
      'trackRankings.two-batches',
      'const batch = await trackRankingsBatch(',
      `${PAUSE} const batch = await trackRankingsBatch(`,
    ],
  ])('%s: %s', async (_, name, from, to) => {
    // Else the test would replay what was not changed.
    expect(code.split(from).length - 1).toBe(1)
    // Each version of a workflow has steps of its own: only histories with the one that is changed.
    const [activity = ''] = /(?<=await )\w+(?=\(job)/.exec(from) ?? []
    const histories = of(name).filter(
      ({ json }) => json.includes(`"${activity}"`) || activity === '',
    )
    expect(histories.length).toBeGreaterThan(0)
    const failed = await replay(code.replace(from, to), histories)
    expect(Object.keys(failed)).toEqual(histories.map(({ file }) => file))
    for (const said of Object.values(failed)) expect(said).toStartWith('DeterminismViolationError')
  })
})

test('the histories contain nothing of the machine they were recorded on', () => {
  for (const { file, json } of recorded) {
    const payloads = [...json.matchAll(/"data": "([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    )
    const said = [json, ...payloads].join('\n')
    expect([file, /stackTrace|\/(home|root|tmp|Users|work)\//.exec(said)?.[0]]).toEqual([
      file,
      undefined,
    ])
    // As a word: a short name can be part of a random id.
    expect(said).not.toMatch(new RegExp(`\\b${RegExp.escape(hostname())}\\b`))
    expect(new Set(json.match(/"identity": "[^"]*"/g))).toEqual(new Set(['"identity": "worker"']))
  }
})
