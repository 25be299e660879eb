import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import type { Activities } from '../activities'
import type { GenerationEnd } from '../activities/generation-steps'
import {
  INTERNAL_RETRY_DELAY_MAX_MS,
  INTERNAL_RETRY_DELAY_MS,
  SECTIONS_AT_ONCE,
  WRITE_HEARTBEAT_TIMEOUT_MS,
  WRITE_TIMEOUT_MS,
} from '../src/content/generations/retry-schedule'
import type { Job } from '../src/outbox/outbox'

/** Ids and what operators search for; never the article or its brief. */
export type GenerateArticleInput = {
  generationId: string
  run: number
  projectId: string
  /**
   * 3: one activity for each step. 2: one for all of them, on the task queue of generations. Absent: the same, on the
   * task queue of deliveries.
   */
  version?: 2 | 3
}

/** The outline was approved, or sent back changed: the rows say what it is (contract 6.27). */
const outlineApproved = defineSignal('outlineApproved')

/** Without limit: these policies retry infrastructure errors only. */
const retry = {
  initialInterval: INTERNAL_RETRY_DELAY_MS,
  maximumInterval: INTERNAL_RETRY_DELAY_MAX_MS,
}

const short = { startToCloseTimeout: '10 seconds', retry } as const
const { beginGeneration, cancelGeneration } = proxyActivities<Activities>(short)
/** A local activity needs no slot, and articles that are being written can have all of them. */
const { cancelGeneration: cancelLocally } = proxyLocalActivities<Activities>(short)

/** The failure of a provider carries the delay to the next call, or is not retryable. */
const step = {
  startToCloseTimeout: WRITE_TIMEOUT_MS,
  heartbeatTimeout: WRITE_HEARTBEAT_TIMEOUT_MS,
  // A cancelled workflow waits for the result of the activity, so that the two never disagree.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry,
} as const
const { writeArticle, writeOutline } = proxyActivities<Activities>(step)
/** Of waiting steps, those of articles that were begun come first: the first ones are finished sooner. */
const { writeSection } = proxyActivities<Activities>({ ...step, priority: { priorityKey: 2 } })
const { assembleArticle, writeMetadata, completeArticle } = proxyActivities<Activities>({
  ...step,
  priority: { priorityKey: 1 },
})

/**
 * Writes the article of a generation (contract 6.5, 6.6, 6.26). The workflow fails when the generation is FAILED;
 * cancelling it makes the generation CANCELLED.
 */
export async function generateArticle({
  generationId,
  run,
  version,
}: GenerateArticleInput): Promise<GenerationEnd> {
  const job = { id: generationId, run }
  const cancel = version === undefined ? cancelGeneration : cancelLocally
  try {
    if (version === 3) return await runSteps(job)
    if (version === undefined) await beginGeneration(job)
    return await writeArticle(job)
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancel(job))
    throw error
  }
}

const runSteps = async (job: Job): Promise<GenerationEnd> => {
  let isNotified = false
  setHandler(outlineApproved, () => {
    isNotified = true
  })
  let outline = await writeOutline(job)
  while (outline.status === 'AWAITING_APPROVAL') {
    await condition(() => isNotified)
    isNotified = false
    outline = await writeOutline(job)
  }
  if (outline.status !== 'DONE') return outline
  const end = (await writeSections(job, outline.sections ?? 0)) ?? (await finish(job))
  if (end.status === 'DONE' || end.status === 'AWAITING_APPROVAL')
    throw new Error(`the generation is ${end.status} after its last step`)
  return end
}

type StepEnd = Awaited<ReturnType<Activities['writeSection']>>

/** Some at a time, in their order. Undefined when all are written; otherwise why not. */
const writeSections = async (job: Job, sections: number): Promise<StepEnd | undefined> => {
  let last = 0
  const writeNext = async (): Promise<StepEnd | undefined> => {
    while (last < sections) {
      const end = await writeSection({ ...job, section: ++last })
      if (end.status !== 'DONE') return end
    }
    return undefined
  }
  const ends = await Promise.all(Array.from({ length: SECTIONS_AT_ONCE }, writeNext))
  return ends.find(end => end !== undefined)
}

const finish = async (job: Job): Promise<StepEnd> => {
  for (const run of [assembleArticle, writeMetadata]) {
    const end = await run(job)
    if (end.status !== 'DONE') return end
  }
  return await completeArticle(job)
}
