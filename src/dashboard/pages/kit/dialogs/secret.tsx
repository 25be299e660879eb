import { KeyRound } from 'lucide-react'
import { Button } from '../controls/button'
import { CopyButton } from '../controls/copy'
import { Actions, Dialog } from './dialog'

type Props = {
  /** Undefined when the response with it was lost. */
  secret: string | undefined
  title: string
  /** Its name, such as "API key". */
  label: string
  /** How to get another one. */
  ifLost: string
  /** What to do with it. */
  instructions?: string
  onClose: () => void
}

/** A secret that is shown once. Only its button closes it without a warning. */
export const SecretDialog = ({
  secret,
  title,
  label,
  ifLost,
  instructions = 'Store it in a password manager or a secret store.',
  onClose,
}: Props) => (
  <Dialog
    open
    sticky
    title={title}
    closeWarning={
      secret === undefined ? undefined : 'Copy this value before you close. It is not shown again.'
    }
    onClose={onClose}
  >
    {secret === undefined ? (
      <p className="text-sm text-muted">
        It was created, but the response with the value was lost, and Arden cannot show the value
        again. {ifLost}
      </p>
    ) : (
      <>
        <div className="flex items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft py-2 pr-2 pl-3">
          <KeyRound aria-hidden className="size-4 shrink-0 text-accent" />
          <output
            aria-label={label}
            className="min-w-0 grow font-mono text-sm break-all select-all"
          >
            {secret}
          </output>
          <CopyButton text={secret} label={`Copy the ${label}`} />
        </div>
        <p className="mt-3 text-sm text-muted">
          You cannot see this value again. {instructions} {ifLost}
        </p>
      </>
    )}
    <Actions>
      <Button variant="primary" onClick={onClose}>
        {secret === undefined ? 'Close' : 'I’ve saved it'}
      </Button>
    </Actions>
  </Dialog>
)
