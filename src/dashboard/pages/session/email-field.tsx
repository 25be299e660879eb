import { Field, TextInput } from '../kit/forms/form'

type Props = {
  email: string
  onChange: (email: string) => void
  hint?: string
  autoFocus?: boolean
}

/** The email address that a user signs in with. */
export const EmailField = ({ email, onChange, hint, autoFocus }: Props) => (
  <Field label="Email" name="email" hint={hint}>
    <TextInput
      autoFocus={autoFocus}
      // Not the type `email`: Chromium refuses an umlaut before the @, and shows `xn--...` for one behind it.
      inputMode="email"
      autoCapitalize="none"
      spellCheck={false}
      autoComplete="username"
      required
      value={email}
      onValueChange={onChange}
    />
  </Field>
)
