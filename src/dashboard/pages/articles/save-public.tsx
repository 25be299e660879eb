import { Confirm } from '../kit/dialogs/confirm'

/** Confirms that changes to a draft, which was published meanwhile, become public. */
export const SavePublic = (props: { onClose: () => void; onSave: () => void }) => (
  <Confirm
    open
    title="Save to the published article?"
    action="Save"
    danger={false}
    onClose={props.onClose}
    onConfirm={() => {
      props.onSave()
      props.onClose()
    }}
  >
    <p>
      This article was published while you were editing. Your changes become public when they are
      saved.
    </p>
  </Confirm>
)
