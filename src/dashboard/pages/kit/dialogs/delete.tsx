import { type ReactNode, useState } from 'react'
import { plainQuotes } from '../../../../letters'
import { useChange } from '../../api/queries'
import type { QueryTopic } from '../../api/topics'
import { toast } from '../controls/toast'
import { Field, TextInput } from '../forms/form'
import { Confirm } from './confirm'

type Props = {
  /** Its title or name. */
  name: string
  /** Its path in the public API, without `/v1`. */
  path: string
  /** The topics that change with it. */
  changes: QueryTopic[]
  /** Names what is deleted with the record, and says that this cannot be undone. */
  children: ReactNode
  /** Its name must be typed before it can be deleted. */
  typeName?: boolean
  onClose: () => void
  onDeleted: () => void
}

/** Asks for confirmation, then deletes a record. */
export const Delete = ({
  name,
  path,
  changes,
  children,
  typeName = false,
  onClose,
  onDeleted,
}: Props) => {
  const [typed, setTyped] = useState('')
  const remove = useChange(...changes)
  const disabled = typeName && asShown(typed) !== asShown(name)
  const confirm = () =>
    remove.mutate(
      { method: 'DELETE', path: `/v1${path}` },
      {
        onSuccess: () => {
          onDeleted()
          toast({ title: `${name} deleted` })
        },
      },
    )
  return (
    <Confirm
      open
      title={`Delete ${name}?`}
      action="Delete permanently"
      busy={remove.isPending}
      disabled={disabled}
      error={remove.error}
      onClose={onClose}
      onConfirm={confirm}
    >
      {children}
      {typeName && (
        <Field label={`To confirm, type ${name}`} name="confirmation">
          <TextInput
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onValueChange={setTyped}
            onKeyDown={event => {
              // Enter that ends the input of a Japanese word confirms nothing.
              const { isComposing, keyCode, repeat } = event.nativeEvent
              const isTyping = isComposing || keyCode === COMPOSED || repeat
              if (event.key === 'Enter' && !isTyping && !disabled && !remove.isPending) confirm()
            }}
          />
        </Field>
      )}
    </Confirm>
  )
}

/** The `keyCode` of keys that Safari sends after a composition has ended. */
const COMPOSED = 229

/** A page shows white space in a row as one space, and text processors write quotes and dashes that keyboards lack. */
const asShown = (text: string) =>
  plainQuotes(text)
    .replace(/\p{Dash}/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
