import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { newId } from '../../src/ids'
import { takeAccount } from '../faults/account'
import { useDatabase } from '../support/database'
import { testEnvironment } from '../support/environment'
import { LANES } from '../support/lanes'
import { createSample } from '../support/sample'

const LONGEST_MS = 240_000

const { sql } = await useDatabase()

test.concurrent.each(LANES)(
  'with a workflow %s: whatever is killed, no change that was answered 2xx is lost, and nothing recorded is sent twice',
  async lane => {
    const { workflowBundle } = testEnvironment()
    const main = join(import.meta.dir, '../faults/main.ts')
    const run = Bun.spawn(
      [process.execPath, main, '--events', '60', '--kills', '4', '--workflows', lane],
      {
        env: { ...process.env, ARDEN_WORKFLOW_BUNDLE: workflowBundle },
        stdout: 'pipe',
        stderr: 'inherit',
      },
    )
    const [printed, code] = await Promise.all([run.stdout.text(), run.exited])
    // All that it printed: its seed is in there.
    expect(code, printed).toBe(0)
    expect(printed).toMatch(/^lost +0$/m)
    for (const part of ['postgres', 'temporal', 'worker', 'serve'])
      expect(printed).toContain(`${part} is back`)
  },
  LONGEST_MS,
)

test('what is not there is counted as lost, and what is open too', async () => {
  const sample = await createSample(sql, 'http://127.0.0.1:9/')
  const [open = '', gone = ''] = await sample.deliveries(2)
  const [{ event_id }] = await sql<[{ event_id: string }]>`
    DELETE FROM deliveries WHERE id = ${gone} RETURNING event_id`
  const article = newId('art')
  const { lost, wrong } = await takeAccount(sql, {
    expected: [{ article, type: 'article.created' }],
    arrivals: [],
    kills: [],
    webhooks: [{ id: sample.webhookId, name: 'it', url: '', events: ['article.published'] }],
  })
  expect(lost).toEqual([
    `the event article.created of ${article}`,
    `the delivery of ${event_id} (article.published) to it`,
    `${open}, which is not final`,
  ])
  expect(wrong).toEqual([])
})
