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

const LABELS: { [name: string]: string } = {
  keyword_id: 'keyword',
  meta_title: 'meta title',
  meta_description: 'meta description',
}

/** The same fields were changed here and elsewhere. */
export const Conflict = (props: { names: string[]; onTakeTheirs: () => void }) => (
  <Notice>
    <p>
      While you were editing, the {props.names.map(name => LABELS[name] ?? name).join(' and the ')}{' '}
      changed in another tab or through another user. Saving replaces that version with yours.
    </p>
    <Button onClick={props.onTakeTheirs}>Discard my changes</Button>
  </Notice>
)
