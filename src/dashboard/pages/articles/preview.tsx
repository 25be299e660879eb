import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '../kit/controls/button'
import { markdown } from './markdown'

/** Characters that are shown with every key: an article of that length takes 70 ms, the worst text 2 s. */
const LIVE_MAX = 30_000

/** The article as readers will see it. It follows the typing as fast as it can, and never holds it up. */
export const Preview = ({ of: text }: { of: string }) => {
  const [asked, setAsked] = useState<string>()
  const isLong = text.length > LIVE_MAX
  const wanted = useDeferredValue(isLong ? asked : text)
  const rendered = useMemo(() => wanted !== undefined && render(wanted), [wanted])
  if (text.trim() === '') return <p className="text-faint">Nothing is written yet.</p>
  return (
    <>
      {isLong && text !== asked && (
        <p className="mb-3 flex flex-wrap items-center gap-2 text-sm text-muted">
          So long a text is shown when you ask for it.
          <Button onClick={() => setAsked(text)}>
            {asked === undefined ? 'Show it' : 'Show it anew'}
          </Button>
        </p>
      )}
      {rendered !== false && <div className="break-words [&>:first-child]:mt-0">{rendered}</div>}
    </>
  )
}

const render = (text: string) => {
  try {
    return markdown(text)
  } catch {
    return (
      <>
        <p className="mb-3 text-sm text-muted">
          This text has too much in each other to be shown as readers will see it. Here it is as it
          was written.
        </p>
        <pre className="font-mono text-sm break-words whitespace-pre-wrap">{text}</pre>
      </>
    )
  }
}
