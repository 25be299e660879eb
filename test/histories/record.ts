/**
 * `bun run histories`: runs each workflow in each way it can end, against real parts, and saves the
 * histories for test/dispatch/replay.test.ts. It takes about two minutes, because of the retry delays.
 */
import { describe, expect, test } from 'bun:test'
import type { WorkflowHandle } from '@temporalio/client'
import { BATCH_SIZE } from '../../src/content/rankings/policy'
import { deliveryWorkflowId } from '../../src/webhooks/deliveries/workflow-id'
import { startArden, useArden } from '../support/arden'
import { good, useGenerating } from '../support/content/generations'
import { refusal } from '../support/content/llm'
import { useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'
import { useSender } from '../support/webhooks/sender'
import { newSet } from './files'

const TIMEOUT_MS = 60_000

const save = await newSet()

/** Undefined until it is started. */
const describeOf = (handle: WorkflowHandle) => handle.describe().catch(() => undefined)

/** When it is over, however it ended. */
const keep = async (handle: WorkflowHandle, workflow: string, what: string) => {
  const isOver = async () =>
    !['RUNNING', undefined].includes((await describeOf(handle))?.status.name)
  await until('the workflow is over', isOver, 60)
  await save(workflow, what, await handle.fetchHistory())
}

const ok = () => new Response('ok')
const broken = () => new Response('no', { status: 500 })

describe('deliverWebhook', async () => {
  type Responder = (count: number) => Response | Promise<Response>
  let respond: Responder = ok
  const receiver = useReceiver((_, count) => respond(count))
  const sender = await useSender(`${receiver.url}/in`)
  await sender.work()

  const deliver = async (next: Responder) => {
    respond = next
    const [id = ''] = await sender.deliveries(1)
    return id
  }
  const handle = (id: string) =>
    sender.temporal.client.workflow.getHandle(deliveryWorkflowId(id, 1))
  const attempted = (id: string) =>
    sender.reaches(id, 'has failed once', row => row.attempt_count === 1)
  const arrived = (id: string) =>
    until('the request arrived', () =>
      receiver.received.some(one => one.headers['x-webhook-delivery-id'] === id),
    )
  const keepDelivery = (id: string, what: string) => keep(handle(id), 'deliverWebhook', what)

  test(
    'delivered at once',
    async () => {
      await keepDelivery(await deliver(ok), 'delivered-at-once')
    },
    TIMEOUT_MS,
  )

  test(
    'delivered by the second attempt',
    async () => {
      await keepDelivery(
        await deliver(count => (count === 1 ? broken() : ok())),
        'delivered-second',
      )
    },
    TIMEOUT_MS,
  )

  test(
    'failed after three',
    async () => {
      await keepDelivery(await deliver(broken), 'failed')
    },
    TIMEOUT_MS,
  )

  test(
    'infrastructure error, then delivered',
    async () => {
      await sender.sql`ALTER TABLE attempts RENAME TO attempts_away`
      const id = await deliver(ok)
      await arrived(id)
      await until('the workflow has the outcome', async () =>
        JSON.stringify(await handle(id).fetchHistory()).includes('Not an attempt'),
      )
      await sender.sql`ALTER TABLE attempts_away RENAME TO attempts`
      await keepDelivery(id, 'infrastructure-error')
    },
    TIMEOUT_MS,
  )

  test(
    'cancelled between attempts',
    async () => {
      const id = await deliver(broken)
      await attempted(id)
      await handle(id).cancel()
      await keepDelivery(id, 'cancelled')
    },
    TIMEOUT_MS,
  )

  test(
    'cancelled while it waits for a response',
    async () => {
      const response = Promise.withResolvers<Response>()
      const id = await deliver(() => response.promise)
      await arrived(id)
      await handle(id).cancel()
      await keepDelivery(id, 'cancelled-in-attempt')
      response.resolve(ok())
    },
    TIMEOUT_MS,
  )

  test(
    'paused between attempts',
    async () => {
      const id = await deliver(broken)
      await attempted(id)
      await sender.sql`UPDATE webhooks SET paused_at = now()`
      await keepDelivery(id, 'paused')
      await sender.sql`UPDATE webhooks SET paused_at = NULL`
    },
    TIMEOUT_MS,
  )
})

describe('generateArticle', async () => {
  const generating = await useGenerating()

  const keepGeneration = (id: string, what: string) =>
    keep(generating.workflow(id), 'generateArticle', what)

  test(
    'written',
    async () => {
      generating.respond(good)
      await keepGeneration((await generating.generate()).id, 'written')
    },
    TIMEOUT_MS,
  )

  test(
    'written when the request to the provider is repeated',
    async () => {
      const refusals = [() => refusal(503, 'overloaded', { 'retry-after-ms': '10' })]
      generating.respond((...request) => refusals.shift()?.() ?? good(...request))
      await keepGeneration((await generating.generate()).id, 'written-second')
    },
    TIMEOUT_MS,
  )

  test(
    'written after a 429',
    async () => {
      const refusals = [() => refusal(429, 'rate_limit_exceeded', { 'retry-after': '1' })]
      generating.respond((...request) => refusals.shift()?.() ?? good(...request))
      await keepGeneration((await generating.generate()).id, 'rate-limited')
    },
    TIMEOUT_MS,
  )

  test(
    'failed',
    async () => {
      generating.respond(() => refusal(401, 'invalid_api_key'))
      await keepGeneration((await generating.generate()).id, 'failed')
    },
    TIMEOUT_MS,
  )

  test(
    'infrastructure error, then written',
    async () => {
      const { arden, live, newKeyword, workflow } = generating
      const keyword_id = (await newKeyword()).id
      // What a generation is about can then not be read.
      await arden.sql`ALTER TABLE projects RENAME COLUMN name TO gone`
      const { id } = (await live.post('/generations', { keyword_id })).body.data
      await until('the failure is pending', async () => {
        const pending = (await describeOf(workflow(id)))?.raw.pendingActivities
        return JSON.stringify(pending ?? []).includes('InfrastructureError')
      })
      await arden.sql`ALTER TABLE projects RENAME COLUMN gone TO name`
      generating.respond(good)
      await keepGeneration(id, 'infrastructure-error')
    },
    TIMEOUT_MS,
  )

  test(
    'written after its outline was approved',
    async () => {
      const { live, newKeyword, reaches } = generating
      generating.respond(good)
      const keyword_id = (await newKeyword()).id
      const body = { keyword_id, review_outline: true }
      const { id } = (await live.post('/generations', body)).body.data
      await reaches(id, 'AWAITING_APPROVAL')
      await live.post(`/generations/${id}/approve`, { outline: ['One', 'Two', 'Three', 'Four'] })
      await keepGeneration(id, 'outline-approved')
    },
    TIMEOUT_MS,
  )

  test(
    'cancelled in Temporal while it is written',
    async () => {
      const { paused, go } = generating.pauseResponse()
      const { id } = await generating.generate()
      await paused
      await generating.workflow(id).cancel()
      await keepGeneration(id, 'cancelled-in-temporal')
      go()
    },
    TIMEOUT_MS,
  )

  test(
    'cancelled while it is written',
    async () => {
      const { paused, go } = generating.pauseResponse()
      const { id } = await generating.generate()
      await paused
      await generating.cancel(id)
      await keepGeneration(id, 'cancelled')
      go()
    },
    TIMEOUT_MS,
  )
})

describe('the workflows that schedules start', async () => {
  const found = () => Response.json({ position: 1 })
  let respond = found
  const serpProvider = useReceiver(() => respond())
  // One shard.
  const settings = { ARDEN_SERP_URL: serpProvider.url, ARDEN_SERP_IN_FLIGHT: '4' }
  const arden = await useArden({ serve: true, worker: true }, settings)
  const temporal = await useTemporal(arden.env)

  const run = async (
    workflow: string,
    what: string,
    taskQueue = arden.env.ARDEN_TASK_QUEUE ?? '',
  ) => {
    const workflowId = `${workflow}:${what}:${taskQueue}`
    await keep(
      await temporal.client.workflow.start(workflow, { taskQueue, workflowId }),
      workflow,
      what,
    )
    return workflowId
  }
  const runRankTracking = async (what: string) => {
    await arden.sql`UPDATE projects SET rank_due_at = now() - interval '1 second', rank_from = NULL`
    const workflowId = await run('runRankTracking', what)
    await keep(temporal.client.workflow.getHandle(`${workflowId}/1`), 'trackRankingShard', what)
  }

  test('expire', () => run('expire', 'nothing-to-do'), TIMEOUT_MS)

  test(
    'publishScheduled',
    async () => {
      await run('publishScheduled', 'nothing-scheduled')
      const live = await arden.client()
      const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
      const scheduled_at = new Date(Date.now() + 5_000).toISOString()
      await live.post('/articles', { project_id, title: 't', scheduled_at })
      await run('publishScheduled', 'one-in-its-minute')
    },
    TIMEOUT_MS,
  )

  test(
    'runRankTracking',
    async () => {
      const live = await arden.client()
      const { id } = (await live.post('/projects', { name: 'p', domain: 'blog.acme.com' })).body
        .data
      for (let n = 0; n <= BATCH_SIZE; n++)
        expect((await live.post(`/projects/${id}/keywords`, { keyword: `k${n}` })).status).toBe(201)
      await runRankTracking('two-batches')
      let refusals = 1
      respond = () =>
        refusals-- > 0
          ? new Response('wait', { status: 429, headers: { 'retry-after': '1' } })
          : found()
      await runRankTracking('rate-limited')
      respond = () => new Response('no', { status: 401 })
      await runRankTracking('refused')
      await arden.sql`UPDATE projects SET rank_due_at = now() + interval '1 hour'`
      await run('runRankTracking', 'nothing-due')
    },
    TIMEOUT_MS,
  )

  test(
    'rankProject',
    async () => {
      const live = await arden.client()
      const rankProject = async (what: string) => {
        const { id } = (await live.post('/projects', { name: 'p', domain: 'blog.acme.com' })).body
          .data
        await live.post(`/projects/${id}/keywords`, { keyword: 'k' })
        const run = (await live.post(`/projects/${id}/rank-runs`, {})).body.data
        const handle = temporal.client.workflow.getHandle(`rank-run:${run.id}`)
        await keep(handle, 'rankProject', what)
      }
      respond = found
      await rankProject('ranked')
      respond = () => new Response('no', { status: 401 })
      await rankProject('refused')
    },
    TIMEOUT_MS,
  )

  test(
    'runRankTracking without a SERP provider',
    async () => {
      const without = await startArden({ worker: true })
      await run('runRankTracking', 'no-provider', without.env.ARDEN_TASK_QUEUE)
      await without.stop()
    },
    TIMEOUT_MS,
  )
})
