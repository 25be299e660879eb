import { Field as Base } from '@base-ui/react/field'
import { Form as BaseForm } from '@base-ui/react/form'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from '../classes'
import { Problem } from '../layout/problem'
import { keepPosition } from './keep-position'
import { focusFirstOf, NO_ERRORS, placeErrors } from './placed-errors'

type FormProps = {
  onSubmit: () => void
  /** The error of the last attempt. Its details are shown at the fields; input is kept. */
  error: Error | null
  /** Shown above the error; like it, it stays in view. */
  notice?: ReactNode
  /** The buttons, below the error; a function for a bar that stays in view, and whose first line is the error. */
  actions: ReactNode | ((problem: ReactNode) => ReactNode)
  children: ReactNode
}

/** A form that shows the server's errors at their fields, and above its buttons those without a field. */
export const Form = ({ onSubmit, error, notice, actions, children }: FormProps) => {
  const form = useRef<HTMLFormElement>(null)
  const [{ fields, rest }, setErrors] = useState(NO_ERRORS)
  useEffect(() => {
    if (form.current !== null) setErrors(placeErrors(error, form.current))
  }, [error])
  useEffect(() => {
    if (form.current !== null) focusFirstOf(fields, form.current)
  }, [fields])
  const noted = (className: string) =>
    (notice || rest !== null) && (
      <div data-notice ref={showFocused} className={cx('space-y-2', className)}>
        {notice}
        <Problem error={rest} />
      </div>
    )
  return (
    <BaseForm
      ref={form}
      errors={fields}
      className="space-y-4"
      onSubmit={event => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      {typeof actions === 'function' ? (
        actions(noted('w-full'))
      ) : (
        <>
          {/* In view above the buttons, which stay in view at the end of a high form. */}
          {noted('sticky bottom-11 z-10 bg-surface pt-2 max-sm:bottom-13 print:hidden')}
          {actions}
        </>
      )}
    </BaseForm>
  )
}

/** What appears above the buttons must not cover the field that has the focus. */
const showFocused = () => document.activeElement?.scrollIntoView({ block: 'nearest' })

const CONTROL =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-base shadow-low transition-colors hover:border-faint focus:outline-2 focus:outline-offset-0 focus:outline-accent disabled:opacity-60 data-[invalid]:border-bad max-sm:text-[16px]'

type FieldProps = {
  label: string
  name: string
  hint?: ReactNode
  /** Shown instead of the server's message about a wrong format, which is written for programs. */
  invalid?: string
  children: ReactNode
}

const ERROR = 'mt-1 text-xs text-bad'

const ErrorText = ({ invalid }: { invalid: string | undefined }) => (
  <Base.Error
    className={ERROR}
    render={({ children, ...rest }) => (
      <div {...rest}>
        {invalid !== undefined && WRONG_FORMAT.test(String(children)) ? invalid : children}
      </div>
    )}
  />
)

/** By src/http/request/validation.ts: a pattern, or a minimum of items. */
const WRONG_FORMAT =
  /^(Has the wrong format|Must start with https:\/\/, or|Must have at least 1 item)/

/** A field: label, control, hint and error. */
export const Field = ({ label, name, hint, invalid, children }: FieldProps) => (
  <Base.Root name={name} data-field={name}>
    <Base.Label className="mb-1 block text-sm font-medium">{label}</Base.Label>
    {children}
    {hint !== undefined && (
      <Base.Description className="mt-1 text-xs text-muted">{hint}</Base.Description>
    )}
    <ErrorText invalid={invalid} />
  </Base.Root>
)

export const TextInput = ({ className, ...rest }: ComponentProps<typeof Base.Control>) => (
  <Base.Control
    ref={keepPosition}
    dir="auto"
    {...rest}
    className={cx(CONTROL, 'h-8 max-sm:h-10', className as string)}
  />
)

/** A text input of a `Group`, which has the label and the error. */
export const PlainInput = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input
    ref={keepPosition}
    autoComplete="off"
    {...rest}
    className={cx(CONTROL, 'h-8 min-w-0 max-sm:h-10 read-only:text-muted', className)}
  />
)

export const TextArea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <Base.Control
    ref={keepPosition}
    render={<textarea dir="auto" {...rest} className={cx(CONTROL, 'py-1.5', className)} />}
  />
)

/** The native select, which works best on phones. */
export const Select = ({ className, children, ...rest }: ComponentProps<'select'>) => (
  <Base.Control
    render={
      <select {...rest} className={cx(CONTROL, 'h-8 max-sm:h-10', className)}>
        {children}
      </select>
    }
  />
)

type ChoiceProps = ComponentProps<'input'> & { label: string; hint?: string }

/** A checkbox or radio button with a label. */
export const Choice = ({ label, hint, className, ...rest }: ChoiceProps) => (
  <label
    className={cx(
      'flex items-start gap-2.5 rounded-md border border-line-strong bg-surface px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:opacity-60',
      className,
    )}
  >
    <input {...rest} className="mt-0.5 size-4 shrink-0 accent-accent-solid" />
    <span>
      <span className="block text-sm font-medium">{label}</span>
      {hint !== undefined && <span className="block text-xs text-muted">{hint}</span>}
    </span>
  </label>
)

/** Several choices under one label. */
export const Choices = ({ children, ...rest }: FieldProps) => (
  <Group {...rest}>
    <div className="grid gap-2 sm:grid-cols-2">{children}</div>
  </Group>
)

/** Several controls under one label. */
export const Group = ({ label, name, hint, invalid, children }: FieldProps) => (
  <Base.Root name={name} data-field={name} render={<fieldset />}>
    <legend className="mb-1 text-sm font-medium">{label}</legend>
    {children}
    {hint !== undefined && <p className="mt-1 text-xs text-muted">{hint}</p>}
    <ErrorText invalid={invalid} />
  </Base.Root>
)
