import { expect, test } from 'bun:test'
import { nextTurn } from './turns'

test('callers get different turns of the event loop, in their order', async () => {
  let [turn, isOn] = [0, true]
  const count = () => {
    turn++
    if (isOn) setImmediate(count)
  }
  setImmediate(count)
  const turns: [number, number][] = []
  const take = async (caller: number) => {
    for (let n = 0; n < 3; n++) {
      await nextTurn()
      turns.push([caller, turn])
    }
  }
  await Promise.all([1, 2, 3].map(take))
  isOn = false
  expect(turns.map(([caller]) => caller)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3])
  expect(new Set(turns.map(([, at]) => at)).size).toBe(9)
})
