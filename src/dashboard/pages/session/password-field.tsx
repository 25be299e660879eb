import { Field, TextInput } from '../kit/forms/form'

type Props = {
  /** The name that errors use. */
  name?: string
  label: string
  /** What the browser's password manager offers. */
  autoComplete: 'current-password' | 'new-password'
  password: string
  onChange: (password: string) => void
  hint?: string
  autoFocus?: boolean
}

/** Of a new password (src/people/password.ts). */
export const NEW_PASSWORD_HINT = 'At least 10 characters.'

export const PasswordField = (props: Props) => {
  const { name = 'password', label, autoComplete, password, onChange, hint, autoFocus } = props
  return (
    <Field label={label} name={name} hint={hint}>
      <TextInput
        autoFocus={autoFocus}
        type="password"
        autoComplete={autoComplete}
        required
        value={password}
        onValueChange={onChange}
      />
    </Field>
  )
}
