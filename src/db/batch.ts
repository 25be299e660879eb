/**
 * Gathers single questions into common ones, for what Postgres does at once nearly as fast as alone: while
 * `calls` are under way, what is asked waits for the next, which takes up to `most`. A question that comes
 * alone goes out at once. When a common call fails, each of its questions is asked alone, so that one which
 * Postgres cannot take fails nobody else's.
 *
 * `ask` gets no two questions of the same `key`, and answers by it; undefined for a key it does not name.
 */
export const createBatch = <Question, Answer>(
  ask: (questions: Question[]) => Promise<Map<string, Answer>>,
  { calls, most, key }: { calls: number; most: number; key: (question: Question) => string },
): ((question: Question) => Promise<Answer | undefined>) => {
  type Waiting = {
    question: Question
    resolve: (answer: Answer | undefined) => void
    reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let scheduled = false
  let underWay = 0

  const schedule = () => {
    if (scheduled || underWay >= calls || waiting.length === 0) return
    scheduled = true
    setImmediate(send)
  }

  const takeNext = (): Map<string, Waiting> => {
    const next = new Map<string, Waiting>()
    const left: Waiting[] = []
    for (const one of waiting) {
      const name = key(one.question)
      if (next.size < most && !next.has(name)) next.set(name, one)
      else left.push(one)
    }
    waiting = left
    return next
  }

  const answerAll = async (asked: Map<string, Waiting>): Promise<void> => {
    try {
      const answers = await ask([...asked.values()].map(({ question }) => question))
      for (const [name, { resolve }] of asked) resolve(answers.get(name))
    } catch (error) {
      if (asked.size === 1) for (const { reject } of asked.values()) reject(error)
      else for (const one of asked) await answerAll(new Map([one]))
    }
  }

  const send = async () => {
    scheduled = false
    underWay++
    await answerAll(takeNext())
    underWay--
    schedule()
  }

  return question =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      schedule()
    })
}
