import type { BriefDefaults } from '../../../content/generations/brief'
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

/** The members of a request that have a value. The server says what is wrong with a length that is no number. */
export const toBrief = ({ length, ...texts }: BriefText) => ({
  ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== '')),
  ...(length.trim() !== '' && { length: Number(length) }),
})

type Props = { value: BriefText; onChange: (value: BriefText) => void }

/** The fields that a generation and the defaults of a project have in common. */
export const BriefFields = ({ value, onChange }: Props) => {
  const set = (name: keyof BriefText) => (text: string) => onChange({ ...value, [name]: text })
  return (
    <>
      <Field label="Audience" name="audience" hint="Who reads it, such as home baristas.">
        <TextInput value={value.audience} onValueChange={set('audience')} />
      </Field>
      <Field label="Tone" name="tone" hint="How it sounds, such as friendly and concrete.">
        <TextInput value={value.tone} onValueChange={set('tone')} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Words" name="length" hint="About, from 100 to 10,000.">
          <TextInput inputMode="numeric" value={value.length} onValueChange={set('length')} />
        </Field>
        <Field label="Model" name="model" hint="Empty for the operator’s default.">
          <TextInput
            autoCapitalize="none"
            spellCheck={false}
            value={value.model}
            onValueChange={set('model')}
          />
        </Field>
      </div>
      <Field
        label="Instructions"
        name="instructions"
        hint="Points to cover, and what to leave out."
      >
        <TextArea
          rows={4}
          value={value.instructions}
          onChange={event => set('instructions')(event.target.value)}
        />
      </Field>
    </>
  )
}
