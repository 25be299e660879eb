import type { ReactNode } from 'react'
import { Button } from '../kit/controls/button'

/** A message above the editor, with what can be done. */
export const Notice = ({ children }: { children: ReactNode }) => (
  <div
    role="status"
    className="mb-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-warn-soft p-3 text-sm text-warn"
  >
    {children}
  </div>
)

export const Restored = () => <Notice>Your unsaved changes were restored.</Notice>

const WORDS: { [name: string]: string } = { keyword_id: 'keyword', body: 'text' }

/** The same fields were changed here and elsewhere. */
export const Conflict = (props: { names: string[]; onTakeTheirs: () => void }) => (
  <Notice>
    <p>
      The {props.names.map(name => WORDS[name] ?? name).join(' and the ')} was changed elsewhere
      while you were editing. Saving overwrites that change.
    </p>
    <Button onClick={props.onTakeTheirs}>Use theirs and discard mine</Button>
  </Notice>
)
