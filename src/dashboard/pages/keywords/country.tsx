import type { Project } from '../../../content/projects/schema'
import { likelyLocale } from '../../../locale'
import { Field, TextInput } from '../kit/forms/form'

type Props = {
  hint: string
  /** As it was typed; `toCode` of it is sent. */
  value: string
  onChange: (typed: string) => void
  disabled: boolean
}

/** The country that is searched in. */
export const CountryField = ({ hint, value, onChange, disabled }: Props) => (
  <Field label="Country" name="country" hint={hint}>
    <TextInput
      required
      disabled={disabled}
      autoCapitalize="characters"
      spellCheck={false}
      value={value}
      onValueChange={onChange}
    />
  </Field>
)

/** The code that was typed. */
export const toCode = (typed: string): string => typed.trim().toUpperCase()

/** The likely country of the project's language, as Unicode has it. */
export const countryOf = ({ language }: Project): string => {
  const { region = 'US' } = likelyLocale(language)
  // `419` is a region as well.
  return /^[A-Z]{2}$/.test(region) ? region : 'US'
}
