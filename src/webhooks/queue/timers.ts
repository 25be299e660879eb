/** Things to be done at a time, in steps of `STEP_MS`: adding one costs the same, however many there are. */
type Timers<T> = {
  add: (one: T, at: number) => void
  /** Removes and returns what is due at `now`. */
  due: (now: number) => T[]
  /** When the next is due; infinite when there is none. */
  nextAt: () => number
}

const STEP_MS = 50

export const createTimers = <T>(): Timers<T> => {
  const steps = new Map<number, T[]>()
  return {
    add: (one, at) => {
      const step = Math.ceil(at / STEP_MS)
      const present = steps.get(step)
      if (present === undefined) steps.set(step, [one])
      else present.push(one)
    },
    due: now => {
      const found: T[] = []
      for (const [step, items] of steps) {
        if (step * STEP_MS > now) continue
        found.push(...items)
        steps.delete(step)
      }
      return found
    },
    nextAt: () => Math.min(...[...steps.keys()].map(step => step * STEP_MS)),
  }
}
