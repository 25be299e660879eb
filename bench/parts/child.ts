import { join } from 'node:path'

/** A process of bench/processes that runs one job at a time. */
export type Child<Job, Answer> = {
  pid: number
  run: (job: Job) => Promise<Answer>
  stop: () => Promise<void>
}

type JobMessage<Job> = { job: Job }
type JobReply<Answer> = { answer: Answer } | { error: string }

/** Starts `bench/processes/<name>.ts`. It exits with this process. */
export const startChild = <Job, Answer>(name: string): Child<Job, Answer> => {
  let waiting: PromiseWithResolvers<Answer> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `../processes/${name}.ts`)], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (reply: JobReply<Answer>) => {
      if ('error' in reply) waiting?.reject(new Error(`${name}: ${reply.error}`))
      else waiting?.resolve(reply.answer)
    },
  })
  child.exited.then(code => waiting?.reject(new Error(`${name} ended with ${code}`)))
  return {
    pid: child.pid,
    run: job => {
      waiting = Promise.withResolvers()
      child.send({ job } satisfies JobMessage<Job>)
      return waiting.promise
    },
    stop: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** In the child process: responds to each job with the result of `work`. */
export const handleJobs = <Job, Answer>(work: (job: Job) => Promise<Answer>): void => {
  process.on('message', async ({ job }: JobMessage<Job>) => {
    const reply: JobReply<Answer> = await work(job).then(
      answer => ({ answer }),
      error => ({ error: Bun.inspect(error) }),
    )
    process.send?.(reply)
  })
  process.on('disconnect', () => process.exit())
}
