import { KeyRound } from 'lucide-react'
import { Button } from '../controls/button'
import { CopyButton } from '../controls/copy'
import { Actions, Dialog } from './dialog'

type Props = {
  /** Undefined: the answer that had it was lost on its way. */
  secret: string | undefined
  title: string
  /** What it is, such as "API key", and how to get another one. */
  what: string
  lost: string
  /** What to do with it now. */
  keep?: string
  onClose: () => void
}

/** A secret that is shown this once. Nothing but its button closes it unasked. */
export const SecretDialog = ({
  secret,
  title,
  what,
  lost,
  keep = 'Keep it in a safe place, such as a password manager or your platform’s secrets.',
  onClose,
}: Props) => (
  <Dialog
    open
    sticky
    title={title}
    ask={secret === undefined ? undefined : 'It is not shown again.'}
    onClose={onClose}
  >
    {secret === undefined ? (
      <p className="text-sm text-muted">
        It was made, but the answer with its value did not arrive, and the value is not kept
        anywhere. {lost}
      </p>
    ) : (
      <>
        <div className="flex items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft py-2 pr-2 pl-3">
          <KeyRound aria-hidden className="size-4 shrink-0 text-accent" />
          <output aria-label={what} className="min-w-0 grow font-mono text-sm break-all select-all">
            {secret}
          </output>
          <CopyButton text={secret} label={`Copy the ${what}`} />
        </div>
        <p className="mt-3 text-sm text-muted">
          This is the only time it is shown. {keep} {lost}
        </p>
      </>
    )}
    <Actions>
      <Button look="primary" onClick={onClose}>
        {secret === undefined ? 'Close' : 'I have kept it'}
      </Button>
    </Actions>
  </Dialog>
)
