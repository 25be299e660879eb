import { expect, test } from 'bun:test'
import { createDeadlines, type Deadline } from './deadlines'

const SECONDS = 0.1
const never = () => new AbortController().signal
/** The reason of the deadline, and the time from now until it passed, in ms. */
const reasonOf = (end: Deadline) =>
  new Promise<{ reason: unknown; after: number }>(resolve => {
    const began = performance.now()
    end.onTimeout(reason => resolve({ reason, after: performance.now() - began }))
  })

test('each deadline passes after its own time, however many are pending', async () => {
  const startDeadline = createDeadlines(SECONDS * 1000)
  const caller = never()
  const first = reasonOf(startDeadline(caller))
  await Bun.sleep(50)
  const others = [reasonOf(startDeadline(caller)), reasonOf(startDeadline(never()))]
  for (const { reason, after } of await Promise.all([first, ...others])) {
    expect(String(reason)).toBe('Error: timed out after 0.1 s')
    expect(after).toBeGreaterThan(95)
  }
})

test('the abort of a caller ends its own requests with its reason, and no others', async () => {
  const startDeadline = createDeadlines(SECONDS * 1000)
  const caller = new AbortController()
  const [one, two, forgotten, other] = [
    startDeadline(caller.signal),
    startDeadline(caller.signal),
    startDeadline(caller.signal),
    startDeadline(never()),
  ]
  const { signal } = one
  const reasons = Promise.all([reasonOf(one), reasonOf(two)])
  forgotten.onTimeout(() => expect.unreachable())
  forgotten.dispose()
  caller.abort('enough')
  expect((await reasons).map(({ reason }) => reason)).toEqual(['enough', 'enough'])
  expect([signal.aborted, signal.reason]).toEqual([true, 'enough'])
  expect([one, two, forgotten, other].map(end => end.hasPassed())).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('calls a listener that is set after the deadline at once, and a replaced one never', () => {
  const caller = new AbortController()
  const end = createDeadlines(SECONDS * 1000)(caller.signal)
  const calls: unknown[] = []
  end.onTimeout(() => calls.push('the first'))
  end.onTimeout(undefined)
  caller.abort('enough')
  end.onTimeout(reason => calls.push(reason))
  expect(calls).toEqual(['enough'])
  expect(end.signal.reason).toBe('enough')
})
