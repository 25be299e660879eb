import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../controls/button'
import { CopyButton } from '../controls/copy'
import { Actions, Dialog } from './dialog'

type Secret = {
  /** Its name, such as "API key". */
  label: string
  /** Undefined when the response with it was lost. */
  value: string | undefined
  /** Where it is used, if there are several. */
  about?: string
}

type Props = {
  secrets: readonly Secret[]
  title: string
  /** How to get another one. */
  ifLost: string
  /** What to do with it. */
  instructions?: string
  onClose: () => void
  /** Code that uses it. */
  children?: ReactNode
}

/** A secret that is shown once, in one form or several. Only its button closes it without a warning. */
export const SecretDialog = ({
  secrets,
  title,
  ifLost,
  instructions = 'Store it in a password manager or a secret store.',
  onClose,
  children,
}: Props) => {
  const isLost = secrets.some(({ value }) => value === undefined)
  return (
    <Dialog
      open
      sticky
      wide={children !== undefined && !isLost}
      title={title}
      closeWarning={isLost ? undefined : 'Copy this value before you close. It is not shown again.'}
      onClose={onClose}
    >
      {isLost ? (
        <p className="text-sm text-muted">
          It was created, but the response with the value was lost, and Arden cannot show the value
          again. {ifLost}
        </p>
      ) : (
        <div className="space-y-3">
          {secrets.map(secret => (
            <SecretValue key={secret.label} of={secret} />
          ))}
          <p className="text-sm text-muted">
            You cannot see this value again. {instructions} {ifLost}
          </p>
          {children}
        </div>
      )}
      <Actions>
        <Button variant="primary" onClick={onClose}>
          {isLost ? 'Close' : 'I’ve saved it'}
        </Button>
      </Actions>
    </Dialog>
  )
}

const SecretValue = ({ of: { label, value = '', about } }: { of: Secret }) => (
  <div>
    {about !== undefined && <p className="mb-1 text-sm font-medium">{about}</p>}
    <div className="flex items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft py-2 pr-2 pl-3">
      <KeyRound aria-hidden className="size-4 shrink-0 text-accent" />
      <output aria-label={label} className="min-w-0 grow font-mono text-sm break-all select-all">
        {value}
      </output>
      <CopyButton text={value} label={`Copy the ${label}`} />
    </div>
  </div>
)
