import { expect, test } from 'bun:test'
import { settled } from '../../test/support/settled'
import { createWorkflowSlots } from './workflow-slots'

const none = new AbortController().signal
const context = {} as never

test('tasks whose attempt waits for an endpoint leave their slot to others, up to all slots', async () => {
  const { supplier, whileIdle } = createWorkflowSlots({ busy: () => 2, all: 3 })
  expect(supplier.tryReserveSlot(context)).not.toBeNull()
  expect(supplier.tryReserveSlot(context)).not.toBeNull()
  expect(supplier.tryReserveSlot(context)).toBeNull()

  const granted: string[] = []
  const third = supplier.reserveSlot(context, none).then(() => granted.push('third'))
  await Bun.sleep(0)
  expect(granted).toEqual([])

  const responses = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const attempts = responses.map(({ promise }) => whileIdle(promise))
  await third
  expect(supplier.tryReserveSlot(context)).toBeNull()

  for (const { resolve } of responses) resolve()
  await Promise.all(attempts)
  supplier.releaseSlot(context)
  expect(supplier.tryReserveSlot(context)).toBeNull()
  supplier.releaseSlot(context)
  expect(supplier.tryReserveSlot(context)).not.toBeNull()
})

test('polls of the sticky queue leave their place to others until they have a task', async () => {
  const { supplier } = createWorkflowSlots({ busy: () => 1, all: 10 })
  const sticky = { isSticky: true } as never
  const polls = [
    await supplier.reserveSlot(sticky, none),
    await supplier.reserveSlot(sticky, none),
    await supplier.reserveSlot(sticky, none),
  ]
  const task = await supplier.reserveSlot(context, none)
  expect(supplier.tryReserveSlot(context)).toBeNull()

  supplier.releaseSlot({ permit: polls[0] } as never)
  expect(supplier.tryReserveSlot(context)).toBeNull()
  supplier.markSlotUsed({ permit: polls[1] } as never)
  supplier.releaseSlot({ permit: task } as never)
  expect(supplier.tryReserveSlot(context)).toBeNull()
  supplier.releaseSlot({ permit: polls[1] } as never)
  expect(supplier.tryReserveSlot(context)).not.toBeNull()
})

test('a reservation that the SDK aborts takes no slot', async () => {
  const { supplier } = createWorkflowSlots({ busy: () => 1, all: 1 })
  supplier.tryReserveSlot(context)
  const aborted = new AbortController()
  const reservation = supplier.reserveSlot(context, aborted.signal)
  aborted.abort()
  expect(await settled(reservation)).toThrow()
  supplier.releaseSlot(context)
  expect(supplier.tryReserveSlot(context)).not.toBeNull()
})

test('a request that fails gives its time of waiting back', async () => {
  const { supplier, whileIdle } = createWorkflowSlots({ busy: () => 1, all: 10 })
  supplier.tryReserveSlot(context)
  expect(await settled(whileIdle(Promise.reject(new Error('refused'))))).toThrow('refused')
  expect(supplier.tryReserveSlot(context)).toBeNull()
})
