import { join } from 'node:path'

/** A process of bench/processes that is given jobs, one at a time. */
export type Child<Job, Answer> = {
  pid: number
  ask: (job: Job) => Promise<Answer>
  stop: () => Promise<void>
}

type Question<Job> = { job: Job }
type Reply<Answer> = { answer: Answer } | { error: string }

/** Starts `bench/processes/<name>.ts`. It ends with this process. */
export const startChild = <Job, Answer>(name: string): Child<Job, Answer> => {
  let waiting: PromiseWithResolvers<Answer> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `../processes/${name}.ts`)], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (reply: Reply<Answer>) => {
      if ('error' in reply) waiting?.reject(new Error(`${name}: ${reply.error}`))
      else waiting?.resolve(reply.answer)
    },
  })
  child.exited.then(code => waiting?.reject(new Error(`${name} ended with ${code}`)))
  return {
    pid: child.pid,
    ask: job => {
      waiting = Promise.withResolvers()
      child.send({ job } satisfies Question<Job>)
      return waiting.promise
    },
    stop: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** The other side: answers each job by what `work` makes of it. */
export const answerJobs = <Job, Answer>(work: (job: Job) => Promise<Answer>): void => {
  process.on('message', async ({ job }: Question<Job>) => {
    const reply: Reply<Answer> = await work(job).then(
      answer => ({ answer }),
      error => ({ error: Bun.inspect(error) }),
    )
    process.send?.(reply)
  })
  process.on('disconnect', () => process.exit())
}
