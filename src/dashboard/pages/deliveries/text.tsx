import { useState } from 'react'
import { cx } from '../kit/classes'
import { CopyButton } from '../kit/controls/copy'

type Props = {
  /** Names the text for screen readers and the copy button. */
  label: string
  children: string
}

/**
 * Text from another system, escaped by React: nothing in it can become a tag or a script. JSON can be
 * formatted; the copy button copies the original.
 */
export const SentText = ({ label, children: text }: Props) => {
  const [isFormatted, setFormatted] = useState(false)
  const formatted = formatJson(text)
  if (text === '') return <p className="text-sm text-faint">No body.</p>
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <div className="absolute top-1 right-1 flex items-center gap-1 rounded-md bg-sunken">
        {formatted !== undefined && formatted !== text && (
          <button
            type="button"
            aria-pressed={isFormatted}
            onClick={() => setFormatted(!isFormatted)}
            className={cx(
              'h-7 rounded-md px-2 text-xs font-medium hover:bg-hover',
              isFormatted ? 'text-accent' : 'text-muted',
            )}
          >
            {isFormatted ? 'Show original' : 'Format'}
          </button>
        )}
        <CopyButton text={text} label={`Copy the ${label}`} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={label}
        className="max-h-80 overflow-auto rounded-lg p-3 max-sm:pt-11 sm:pr-28"
      >
        <pre className="font-mono text-xs break-words whitespace-pre-wrap">
          {isFormatted ? formatted : text}
        </pre>
      </section>
    </div>
  )
}

const formatJson = (text: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}
