import { Confirm } from '../kit/dialogs/confirm'

/** What was typed would be gone for good. */
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
    <p>What you typed since it was last saved is gone then, and the article is as it was saved.</p>
  </Confirm>
)
