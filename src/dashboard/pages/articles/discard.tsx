import { Confirm } from '../kit/dialogs/confirm'

/** Confirms that unsaved changes are discarded. */
export const Discard = (props: { onClose: () => void; onDiscard: () => void }) => (
  <Confirm
    open
    title="Discard your changes?"
    action="Discard"
    onClose={props.onClose}
    onConfirm={() => {
      props.onDiscard()
      props.onClose()
    }}
  >
    <p>Changes since the last save will be lost.</p>
  </Confirm>
)
