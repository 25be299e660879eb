import { expect, test } from 'bun:test'
import { createDeadlines, type Deadline } from './deadlines'

const SECONDS = 0.1
const never = () => new AbortController().signal
/** What ends it, and how long after now, in ms. */
const told = (end: Deadline) =>
  new Promise<{ reason: unknown; after: number }>(resolve => {
    const began = performance.now()
    end.onTimeout(reason => resolve({ reason, after: performance.now() - began }))
  })

test('each request ends when its own time is over, however many there are', async () => {
  const endOf = createDeadlines(SECONDS * 1000)
  const caller = never()
  const first = told(endOf(caller))
  await Bun.sleep(50)
  const others = [told(endOf(caller)), told(endOf(never()))]
  for (const { reason, after } of await Promise.all([first, ...others])) {
    expect(String(reason)).toBe('Error: timed out after 0.1 s')
    expect(after).toBeGreaterThan(95)
  }
})

test('a caller who aborts ends all requests of its own, with its reason, and nobody else’s', async () => {
  const endOf = createDeadlines(SECONDS * 1000)
  const caller = new AbortController()
  const [one, two, forgotten, other] = [
    endOf(caller.signal),
    endOf(caller.signal),
    endOf(caller.signal),
    endOf(never()),
  ]
  const { signal } = one
  const reasons = Promise.all([told(one), told(two)])
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

test('whoever asks after the end is told at once, and one who was replaced is not', () => {
  const caller = new AbortController()
  const end = createDeadlines(SECONDS * 1000)(caller.signal)
  const heard: unknown[] = []
  end.onTimeout(() => heard.push('the first'))
  end.onTimeout(undefined)
  caller.abort('enough')
  end.onTimeout(reason => heard.push(reason))
  expect(heard).toEqual(['enough'])
  expect(end.signal.reason).toBe('enough')
})
