import { expect, test } from 'bun:test'
import { newId } from '../../src/ids'
import { useDatabase } from '../support/database'
import { createSample } from '../support/webhooks/sample'
import { takeAccount } from './account'

const { sql } = await useDatabase()

test('a missing event, a missing delivery and one that is not final count as lost', async () => {
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
