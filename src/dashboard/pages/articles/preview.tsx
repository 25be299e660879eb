import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../kit/controls/button'
import { markdown } from './markdown'

/** Characters up to which each keystroke renders: an article of that length takes 70 ms, the worst text 2 s. */
const LIVE_MAX = 30_000

/** The rendered article, in the language `lang`. Rendering is deferred, so that it does not delay typing. */
export const Preview = ({ of: text, lang }: { of: string; lang: string | undefined }) => {
  const [requested, setRequested] = useState<string>()
  const isLong = text.length > LIVE_MAX
  const deferred = useDeferredValue(text)
  const shown = isLong ? requested : deferred
  const rendered = useMemo(() => shown !== undefined && render(shown), [shown])
  // Paper shows a long text as well.
  useEffect(() => {
    const refresh = () => flushSync(() => setRequested(text))
    window.addEventListener('beforeprint', refresh)
    return () => window.removeEventListener('beforeprint', refresh)
  }, [text])
  if (text.trim() === '') return <p className="text-faint">Nothing to preview yet.</p>
  return (
    <>
      {isLong && text !== requested && (
        <p className="mb-3 flex flex-wrap items-center gap-2 text-sm text-muted">
          This text is too long for a live preview.
          <Button onClick={() => setRequested(text)}>
            {requested === undefined ? 'Show preview' : 'Refresh preview'}
          </Button>
        </p>
      )}
      {rendered !== false && (
        <div lang={lang} className="break-words [&>:first-child]:mt-0">
          {rendered}
        </div>
      )}
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
          This text is nested too deeply for a preview. You see its Markdown source instead.
        </p>
        <pre className="font-mono text-sm break-words whitespace-pre-wrap">{text}</pre>
      </>
    )
  }
}
