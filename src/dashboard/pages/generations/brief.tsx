import type { BriefDefaults } from '../../../content/generations/brief'
import type { Project } from '../../../content/projects/schema'
import { useRecord } from '../api/queries'
import { Field, TextArea, TextInput } from '../kit/forms/form'

/** What the fields of a brief hold while it is written: empty where the default counts. */
type BriefText = { [name in keyof BriefDefaults]: string }

export const toBriefText = (brief: Partial<BriefDefaults>): BriefText => ({
  instructions: brief.instructions ?? '',
  audience: brief.audience ?? '',
  tone: brief.tone ?? '',
  length: brief.length === null || brief.length === undefined ? '' : String(brief.length),
  model: brief.model ?? '',
})

/** All members, null where there is no text. The server says what is wrong with a length that is no number, which is sent as it is. */
export const toBriefMembers = ({ instructions, audience, tone, length, model }: BriefText) => ({
  instructions: textOrNull(instructions),
  audience: textOrNull(audience),
  tone: textOrNull(tone),
  length: toWords(length),
  model: textOrNull(model),
})

/**
 * With or without the comma that pages show, or the space of other languages. What is no finite number would be null in
 * JSON.
 */
export const toWords = (text: string): number | string | null => {
  const typed = text.trim()
  if (typed === '') return null
  const words = Number(typed.replace(/[,\s](?=\d{3}(?:[,\s]|$))/g, ''))
  return Number.isFinite(words) ? words : typed
}

const textOrNull = (text: string) => (text.trim() === '' ? null : text)

/** The members that have a value: the others have the default of the project. */
export const toBrief = (text: BriefText) =>
  Object.fromEntries(Object.entries(toBriefMembers(text)).filter(([, value]) => value !== null))

/** The members of a brief that have a value, but the instructions, as pairs of `Facts`. */
export const briefFacts = ({
  audience,
  tone,
  length,
  model,
}: Omit<BriefDefaults, 'instructions'>) =>
  (
    [
      ['Audience', audience],
      ['Tone', tone],
      ['Words', length?.toLocaleString('en')],
      ['Model', model],
    ] as const
  ).flatMap(([name, value]) => (value ? [[name, value] as const] : []))

/** What an empty field of a generation stands for; undefined before a project is chosen, and while it is loading. */
export const useBriefDefaults = (projectId: string): BriefDefaults | undefined =>
  useRecord<Project>('projects', `/projects/${projectId}`, projectId !== '').data?.brief

type Props = {
  value: BriefText
  onChange: (value: BriefText) => void
  /** Those of the project, where the brief is that of a generation. */
  defaults?: BriefDefaults | undefined
}

/** The fields that a generation and the defaults of a project have in common. */
export const BriefFields = ({ value, onChange, defaults }: Props) => {
  const set = (name: keyof BriefText) => (text: string) => onChange({ ...value, [name]: text })
  const placeholders = toBriefText(defaults ?? {})
  const hint = (name: keyof BriefText, text: string) =>
    placeholders[name] === '' ? text : 'Empty for the project’s default.'
  return (
    <>
      <Field
        label="Audience"
        name="audience"
        hint={hint('audience', 'Who reads it, such as home baristas.')}
      >
        <TextInput
          value={value.audience}
          placeholder={placeholders.audience}
          onValueChange={set('audience')}
        />
      </Field>
      <Field
        label="Tone"
        name="tone"
        hint={hint('tone', 'How it sounds, such as friendly and concrete.')}
      >
        <TextInput value={value.tone} placeholder={placeholders.tone} onValueChange={set('tone')} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Words" name="length" hint={hint('length', 'About, from 100 to 10,000.')}>
          <TextInput
            inputMode="numeric"
            value={value.length}
            placeholder={placeholders.length}
            onValueChange={set('length')}
          />
        </Field>
        <Field label="Model" name="model" hint={hint('model', 'Empty for the operator’s default.')}>
          <TextInput
            autoCapitalize="none"
            spellCheck={false}
            value={value.model}
            placeholder={placeholders.model}
            onValueChange={set('model')}
          />
        </Field>
      </div>
      <Field
        label="Instructions"
        name="instructions"
        hint={hint('instructions', 'Points to cover, and what to leave out.')}
      >
        <TextArea
          rows={4}
          value={value.instructions}
          placeholder={placeholders.instructions}
          onChange={event => set('instructions')(event.target.value)}
        />
      </Field>
    </>
  )
}
