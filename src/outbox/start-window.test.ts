import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { createStartWindow } from './start-window'

/** Starts that take as long as each test says. */
let now = 0
const clock = spyOn(performance, 'now').mockImplementation(() => now)
afterAll(() => clock.mockRestore())
const started = async (window: ReturnType<typeof createStartWindow>, ms: number, count: number) => {
  for (let n = 0; n < count; n++)
    await window.measure(async () => {
      now += ms
    })
  return window.size()
}

describe('a dispatcher starts', () => {
  test('eight workflows at a time while starts are quick', async () => {
    expect(await started(createStartWindow(), 15, 50)).toBe(8)
  })

  test('one at a time while starts are slow, and eight again when they are quick', async () => {
    const window = createStartWindow()
    await started(window, 15, 1)
    expect(await started(window, 120, 14)).toBe(1)
    expect(await started(window, 15, 40)).toBe(8)
  })

  test('eight at a time where Temporal is far away, and fewer when it is slower than that', async () => {
    const window = createStartWindow()
    expect(await started(window, 90, 50)).toBe(8)
    expect(await started(window, 500, 14)).toBe(1)
  })

  test('eight at a time when one start in ten is slow', async () => {
    const window = createStartWindow()
    for (let n = 0; n < 10; n++) {
      await started(window, 15, 9)
      await started(window, 200, 1)
    }
    expect(window.size()).toBeGreaterThanOrEqual(7)
  })

  test('eight at a time when a start fails at once, and soon after a single one was very quick', async () => {
    const window = createStartWindow()
    await window.measure(() => Promise.reject(new Error('refused'))).catch(() => {})
    expect(await started(window, 60, 50)).toBe(8)
    await started(window, 5, 1)
    expect(await started(window, 60, 50)).toBe(1)
    expect(await started(window, 60, 600)).toBe(8)
  })

  test('fewer when starts fail slowly', async () => {
    const window = createStartWindow()
    await started(window, 15, 1)
    for (let n = 0; n < 14; n++) {
      const failed = window.measure(async () => {
        now += 5_000
        throw new Error('no response')
      })
      expect(failed).rejects.toThrow('no response')
      await failed.catch(() => {})
    }
    expect(window.size()).toBe(1)
  })
})
