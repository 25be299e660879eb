import { t } from 'elysia'
import { Integer, NonBlank, Nullable, OneOf, PatchBody, type TypeOf } from '../../http/schema'
import type { CheckCode } from '../checks/result'

/** What the article of a generation should be (contract 6.25). A project has defaults for all but the outline. */

export const Instructions = Nullable(
  t.String({
    maxLength: 4000,
    description: 'Instructions for the writer of the article, as text.',
    examples: ['For beginners. Mention water temperature.'],
  }),
)

export const BriefFields = {
  audience: Nullable(
    NonBlank({ maxLength: 500, description: 'Who reads it.', examples: ['home baristas'] }),
  ),
  tone: Nullable(
    NonBlank({ maxLength: 500, description: 'How it sounds.', examples: ['friendly, concrete'] }),
  ),
  length: Nullable(
    Integer({
      minimum: 100,
      maximum: 10_000,
      description: 'Words of the article, about. The writer chooses when absent.',
      examples: [1200],
    }),
  ),
  model: Nullable(
    NonBlank({
      maxLength: 200,
      description: 'A model that the operator has configured; theirs by default.',
    }),
    { examples: [null] },
  ),
}

/** Checks that a generation can require: those of a text by itself. */
export const REQUIRED_CHECKS = [
  'language',
  'length',
  'headings',
  'keyword',
  'placeholder',
] as const satisfies CheckCode[]
const RequiredCheck = OneOf(REQUIRED_CHECKS, { title: 'RequiredCheck' })

export const RequiredChecks = t.Array(RequiredCheck, {
  maxItems: REQUIRED_CHECKS.length,
  uniqueItems: true,
  description: 'Checks without which the generation is FAILED. The others are warnings.',
  examples: [['language', 'placeholder']],
})

export const Outline = t.Array(NonBlank({ maxLength: 200, examples: ['What you need'] }), {
  minItems: 1,
  maxItems: 30,
  description: 'The headings of the article, in their order. The introduction has none.',
  examples: [['What you need', 'Step by step', 'Common mistakes']],
})

const defaults = { instructions: Instructions, ...BriefFields }

/** The defaults of a project, as its record shows them. */
export const BriefDefaults = t.Object(defaults, { title: 'BriefDefaults' })
export type BriefDefaults = TypeOf<typeof BriefDefaults>

/** The same as a request sets them. */
export const BriefDefaultsInput = PatchBody(defaults, {
  title: 'BriefDefaultsInput',
  description:
    'Defaults of the briefs of its generations. A PATCH changes those that it names; null removes one.',
})

/** Each member of the request, or else the default of the project. Null in a request means none. */
export const resolveBrief = (
  given: Partial<BriefDefaults>,
  defaults: Partial<BriefDefaults>,
): BriefDefaults => {
  const pick = <N extends keyof BriefDefaults>(name: N) =>
    (given[name] === undefined ? defaults[name] : given[name]) ?? null
  return {
    instructions: pick('instructions'),
    audience: pick('audience'),
    tone: pick('tone'),
    length: pick('length'),
    model: pick('model'),
  }
}

/** A heading is one line of the article. */
export const toHeading = (text: string): string => text.replace(/\s+/g, ' ').trim()
