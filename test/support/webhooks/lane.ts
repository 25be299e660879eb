import { afterEach } from 'bun:test'
import { useDeliver } from './deliver'
import type { Sender } from './sender'

/** `useDeliver` with 40 slots, where first attempts have no workflow. The worker of a test stops after it. */
export const useLane = async () => {
  let worker: Awaited<ReturnType<Sender['work']>> | undefined
  const used = await useDeliver({ ARDEN_WORKFLOWS: 'on-retry', ARDEN_IN_FLIGHT: '40' })
  const { sender } = used
  afterEach(async () => {
    used.respondWith(() => new Response('ok'))
    await worker?.stop()
    worker = undefined
  })
  return {
    ...used,
    work: async () => {
      worker = await sender.work()
    },
    /** The deliveries that lanes have claimed. */
    inProgress: async () =>
      (
        await sender.sql<{ id: string }[]>`
          SELECT delivery_id AS id FROM delivery_queue WHERE claimer IS NOT NULL`
      ).map(({ id }) => id),
  }
}
