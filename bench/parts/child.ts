import { join } from 'node:path'

/** A process of bench/processes that runs one job at a time. */
export type Child<Job, Result> = {
  pid: number
  run: (job: Job) => Promise<Result>
  stop: () => Promise<void>
}

type JobMessage<Job> = { job: Job }
type JobReply<Result> = { result: Result } | { error: string }

/** Starts `bench/processes/<name>.ts`. It exits with this process. */
export const startChild = <Job, Result>(name: string): Child<Job, Result> => {
  let waiting: PromiseWithResolvers<Result> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `../processes/${name}.ts`)], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (reply: JobReply<Result>) => {
      if ('error' in reply) waiting?.reject(new Error(`${name}: ${reply.error}`))
      else waiting?.resolve(reply.result)
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
export const handleJobs = <Job, Result>(work: (job: Job) => Promise<Result>): void => {
  process.on('message', async ({ job }: JobMessage<Job>) => {
    const reply: JobReply<Result> = await work(job).then(
      result => ({ result }),
      error => ({ error: Bun.inspect(error) }),
    )
    process.send?.(reply)
  })
  process.on('disconnect', () => process.exit())
}
