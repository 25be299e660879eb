import { useState } from 'react'
import { cx } from '../kit/classes'
import { CopyButton } from '../kit/controls/copy'

type Props = {
  /** What it is, for screen readers and the copy button. */
  label: string
  children: string
}

/**
 * What somebody sent, as plain text: React writes it as text, so nothing in it can be a tag or a script.
 * JSON can be laid out; what is copied is what was sent.
 */
export const SentText = ({ label, children: text }: Props) => {
  const [isLaidOut, setLaidOut] = useState(false)
  const laidOut = layOut(text)
  if (text === '') return <p className="text-sm text-faint">Empty.</p>
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <div className="absolute top-1 right-1 flex items-center gap-1 rounded-md bg-sunken">
        {laidOut !== undefined && laidOut !== text && (
          <button
            type="button"
            aria-pressed={isLaidOut}
            onClick={() => setLaidOut(!isLaidOut)}
            className={cx(
              'h-7 rounded-md px-2 text-xs font-medium hover:bg-hover',
              isLaidOut ? 'text-accent' : 'text-muted',
            )}
          >
            {isLaidOut ? 'As sent' : 'Lay out'}
          </button>
        )}
        <CopyButton text={text} label={`Copy the ${label}`} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={label}
        className="max-h-80 overflow-auto rounded-lg p-3 max-sm:pt-9 sm:pr-28"
      >
        <pre className="font-mono text-xs break-words whitespace-pre-wrap">
          {isLaidOut ? laidOut : text}
        </pre>
      </section>
    </div>
  )
}

const layOut = (text: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}
