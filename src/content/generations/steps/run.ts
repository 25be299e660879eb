import type { Tx } from '../../../db/connect'
import { withTimeout } from '../../../db/connect'
import type { Job } from '../../../outbox/outbox'
import { checkText } from '../../checks/check'
import { completeGeneration } from '../completion'
import { beginGeneration, failGeneration, type LoadedGeneration } from '../transitions'
import { storeOutline } from './outline'
import { parseMetadata } from './parse'
import { introductionOf } from './request'
import {
  completeStep,
  ensureOutline,
  failStep,
  OUTLINE,
  type StoredStep,
  WITHOUT_MODEL,
} from './store'
import { storeWithRetries } from './store-with-retries'
import { loadEnded, loadOpen, type StepDeps, type StepOutcome, writeStep } from './write'

/** The outline: of the brief, or written. */
export const runOutline = async (
  deps: StepDeps,
  job: Job,
  signal: AbortSignal,
): Promise<StepOutcome & { sections?: number }> => {
  const { sql } = deps
  await withTimeout(ensureOutline(sql, job.id))
  const loaded = await loadOpen(sql, job)
  if (loaded.status !== 'OPEN') return loaded
  const { outline, reviewOutline } = loaded.generation
  const headings = outline ?? writtenOutline(loaded.steps)
  if (headings === undefined) {
    const outcome = await writeStep(deps, job, OUTLINE, signal)
    if (outcome.status !== 'DONE') return outcome
  } else if (loaded.steps.length === 1) {
    if (reviewOutline) await begin(deps, job)
    await sql.begin(async tx => {
      await completeStep(tx as Tx, job.id, OUTLINE, { ...WITHOUT_MODEL, text: headings.join('\n') })
      await storeOutline(tx as Tx, job, headings)
    })
    deps.publishChange(loaded.generation, 'generations')
  }
  const planned = await loadOpen(sql, job)
  return planned.status === 'OPEN'
    ? { status: 'DONE', sections: sectionsOf(planned.steps).length }
    : planned
}

/** The headings of a response that arrived after its generation had ended: a retry goes on with them. */
const writtenOutline = (steps: readonly StoredStep[]): string[] | undefined => {
  const outline = steps.find(({ position }) => position === OUTLINE)
  return outline?.status === 'COMPLETED' ? outline.text?.split('\n') : undefined
}

/** RUNNING, although no request was sent: its outline waits for an approval, or its text is written. */
const begin = async ({ sql, committed }: StepDeps, job: Job) => {
  await withTimeout(beginGeneration(sql, job))
  committed()
}

/** `section`: from 1, the introduction. */
export const runSection = (
  deps: StepDeps,
  job: Job & { section: number },
  signal: AbortSignal,
): Promise<StepOutcome> => writeStep(deps, job, OUTLINE + job.section, signal)

/** Joins introduction, headings and sections into the body of the article. */
export const runAssembly = (deps: StepDeps, job: Job): Promise<StepOutcome> =>
  withStep(deps, job, 'assembly', async (step, steps) => {
    const body = sectionsOf(steps)
      .map(({ heading, text }) => (heading === null ? text : `## ${heading}\n\n${text}`))
      .join('\n\n')
    await completeStep(deps.sql, job.id, step.position, { ...WITHOUT_MODEL, text: body })
    return { status: 'DONE' }
  })

/** Title, slug, meta title and meta description. */
export const runMetadata = (deps: StepDeps, job: Job, signal: AbortSignal): Promise<StepOutcome> =>
  withStep(deps, job, 'metadata', step => writeStep(deps, job, step.position, signal))

/** The checks, and the article. */
export const runChecks = (deps: StepDeps, job: Job): Promise<StepOutcome> =>
  withStep(deps, job, 'checks', async (step, steps, written) => {
    const { keyword, projectLanguage: language } = written
    const textOf = (kind: StoredStep['kind']) => steps.find(one => one.kind === kind)?.text ?? ''
    const metadata = parseMetadata(textOf('metadata'), {
      keyword,
      introduction: introductionOf(steps),
      language,
    })
    const article = { ...metadata, body: textOf('assembly') }
    // After a retry, nothing was left to request.
    if (written.status === 'QUEUED') await begin(deps, job)
    const broken = await readBroken(written, article)
    if (broken !== undefined) {
      await failStep(deps.sql, job, step.position)
      await failGeneration(deps.sql, job, { code: 'check_failed', message: broken })
      deps.meter.recordGeneration('FAILED')
    } else {
      const isOffline = steps.every(({ model }) => model === null)
      const end = await storeWithRetries(() =>
        completeGeneration(deps.sql, job, article, { isOffline }),
      )
      if (end !== undefined) deps.meter.recordGeneration(end)
    }
    const loaded = await loadEnded(deps, job)
    if (loaded.status === 'ENDED')
      deps.publishChange(loaded.generation, 'generations', 'articles', 'deliveries')
    return loaded
  })

/** What the required checks find, as a message; undefined when all are in order. */
const readBroken = async (
  { projectLanguage: language, keyword, length, requiredChecks }: LoadedGeneration,
  article: { title: string; body: string },
): Promise<string | undefined> => {
  if (requiredChecks.length === 0) return undefined
  const results = await checkText(article, { language, keyword, length })
  const broken = results.filter(
    ({ code, severity }) => severity === 'warning' && requiredChecks.some(one => one === code),
  )
  if (broken.length === 0) return undefined
  const found = broken.map(({ message }) => message).join(' ')
  return `The text does not pass a required check, and was not used. ${found} Change the brief or the required checks, and generate again.`
}

const sectionsOf = (steps: readonly StoredStep[]) => steps.filter(({ kind }) => kind === 'section')

/** Calls `run` unless the step is finished or the generation has ended. */
const withStep = async (
  { sql }: StepDeps,
  job: Job,
  kind: StoredStep['kind'],
  run: (
    step: StoredStep,
    steps: StoredStep[],
    generation: LoadedGeneration,
  ) => Promise<StepOutcome>,
): Promise<StepOutcome> => {
  const loaded = await loadOpen(sql, job)
  if (loaded.status !== 'OPEN') return loaded
  const step = loaded.steps.find(one => one.kind === kind)
  if (step === undefined) throw new Error(`${job.id} has no step "${kind}"`)
  return step.status === 'COMPLETED'
    ? { status: 'DONE' }
    : await run(step, loaded.steps, loaded.generation)
}
