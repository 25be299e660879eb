import { isDatabaseAway, withTimeout } from './connect'

/**
 * Gathers single questions into common ones, for what Postgres does at once nearly as fast as alone: while
 * `calls` are under way, what is asked waits for the next, which takes up to `most`. A question that comes
 * alone goes out at once. When a common call fails, each of its questions is asked alone, so that one which
 * Postgres cannot take fails nobody else's; not where Postgres went away, for then what was asked may have
 * happened.
 *
 * After a call, the next goes out `gatherMs` later, or when `enough` questions wait: for what is asked all the time and
 * urgent for nobody. One that is urgent, by `isUrgent`, goes at once, and with it all that waits.
 *
 * A question is given up `ms` after it was put, as `answered` does it, and is then asked no more: while Postgres
 * is away, who asks again and again leaves nothing behind.
 *
 * `ask` gets no two questions of the same `key`, and answers by it; undefined for a key it does not name.
 */
export const createBatch = <Question, Answer>(
  ask: (questions: Question[]) => Promise<Map<string, Answer>>,
  {
    calls,
    most,
    key,
    gatherMs = 0,
    enough = 1,
    isUrgent = () => false,
  }: {
    calls: number
    most: number
    key: (question: Question) => string
    gatherMs?: number
    enough?: number
    isUrgent?: (question: Question) => boolean
  },
): ((question: Question, ms: number) => Promise<Answer | undefined>) => {
  type Waiting = {
    question: Question
    resolve: (answer: Answer | undefined) => void
    reject: (error: unknown) => void
    isGivenUp: boolean
  }
  const waiting = new Set<Waiting>()
  let scheduled = false
  let underWay = 0
  let lastAt = Number.NEGATIVE_INFINITY
  let gathering = false
  let urgent = 0

  const schedule = () => {
    if (scheduled || underWay >= calls || waiting.size === 0) return
    const ms = waiting.size < enough && urgent === 0 ? lastAt + gatherMs - performance.now() : 0
    if (ms > 0) {
      if (!gathering) setTimeout(gathered, ms)
      gathering = true
      return
    }
    scheduled = true
    setImmediate(send)
  }
  const gathered = () => {
    gathering = false
    schedule()
  }

  const leave = (one: Waiting) => {
    if (waiting.delete(one) && isUrgent(one.question)) urgent--
  }

  const takeNext = (): Map<string, Waiting> => {
    const next = new Map<string, Waiting>()
    for (const one of waiting) {
      if (next.size === most) break
      const name = key(one.question)
      if (next.has(name)) continue
      next.set(name, one)
      leave(one)
    }
    return next
  }

  const answerAll = async (asked: Map<string, Waiting>): Promise<void> => {
    try {
      const answers = await ask([...asked.values()].map(({ question }) => question))
      for (const [name, { resolve }] of asked) resolve(answers.get(name))
    } catch (error) {
      if (asked.size === 1 || isDatabaseAway(error))
        for (const { reject } of asked.values()) reject(error)
      else
        for (const [name, one] of asked) if (!one.isGivenUp) await answerAll(new Map([[name, one]]))
    }
  }

  const send = async () => {
    scheduled = false
    lastAt = performance.now()
    underWay++
    await answerAll(takeNext())
    underWay--
    schedule()
  }

  return async (question, ms) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>()
    const one: Waiting = { question, resolve, reject, isGivenUp: false }
    waiting.add(one)
    if (isUrgent(question)) urgent++
    schedule()
    try {
      return await withTimeout(promise, ms)
    } finally {
      one.isGivenUp = true
      leave(one)
    }
  }
}
