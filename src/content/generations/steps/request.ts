import { introductionPrompt, metadataPrompt, outlinePrompt, sectionPrompt } from '../prompts'
import type { Prompt } from '../prompts/template'
import type { Task } from '../providers/provider'
import type { LoadedGeneration } from '../transitions'
import type { StoredStep } from './store'

/** Words for each heading, and how many headings the length leads to. */
const WORDS_OF_SECTION = 200
const HEADINGS_MIN = 3
const HEADINGS_MAX = 12
/** Characters of the introduction in the prompt of the metadata. */
const INTRODUCTION_MAX = 1_000

type StepRequest = Omit<Prompt, 'version'> & { promptVersion: string; task: Task }

/** What a model is asked for in a step. `steps`: all of them, for the introduction. */
export const toStepRequest = (
  generation: LoadedGeneration,
  step: StoredStep,
  steps: readonly StoredStep[],
): StepRequest => {
  const { version, ...prompt } = createPrompt(generation, step, steps)
  return { ...prompt, promptVersion: version, task: toTask(generation, step) }
}

const createPrompt = (
  generation: LoadedGeneration,
  step: StoredStep,
  steps: readonly StoredStep[],
): Prompt => {
  const { length, projectName, projectDomain, outline } = generation
  const sections = steps.filter(({ kind }) => kind === 'section').length
  const values = {
    keyword: generation.keyword,
    language: generation.projectLanguage,
    site: projectDomain === null ? projectName : `${projectName} (${projectDomain})`,
    audience: generation.audience,
    tone: generation.tone,
    style_guide: generation.styleGuide,
    instructions: generation.instructions,
    outline: outline?.map(heading => `- ${heading}`).join('\n') ?? null,
    words: length === null ? null : String(Math.ceil(length / Math.max(1, sections))),
  }
  if (step.kind === 'outline') return outlinePrompt({ ...values, headings: headingsFor(length) })
  if (step.kind === 'metadata')
    return metadataPrompt({ ...values, introduction: introductionOf(steps) })
  return step.heading === null
    ? introductionPrompt(values)
    : sectionPrompt({ ...values, heading: step.heading })
}

const headingsFor = (length: number | null): string =>
  length === null
    ? '5 to 7'
    : String(
        Math.min(HEADINGS_MAX, Math.max(HEADINGS_MIN, Math.round(length / WORDS_OF_SECTION) - 1)),
      )

/** Empty until it is written. */
export const introductionOf = (steps: readonly StoredStep[]): string =>
  (steps.find(({ kind }) => kind === 'section')?.text ?? '')
    .slice(0, INTRODUCTION_MAX)
    .toWellFormed()

const toTask = (generation: LoadedGeneration, { kind, heading }: StoredStep): Task => ({
  seed: generation.id,
  step: kind,
  heading,
  keyword: generation.keyword,
  instructions: generation.instructions,
  project: {
    name: generation.projectName,
    domain: generation.projectDomain,
    language: generation.projectLanguage,
  },
})
