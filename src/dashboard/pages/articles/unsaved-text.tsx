import { useState } from 'react'
import { loadDraft, removeStoredDraft, unsavedFields } from '../drafts/draft'
import { cx } from '../kit/classes'
import { Button } from '../kit/controls/button'
import { Field, TextArea } from '../kit/forms/form'
import { Notice } from '../kit/layout/notice'
import { Card } from '../kit/layout/page'

export const TEXTS = [
  ['title', 'Title'],
  ['slug', 'Slug'],
  ['body', 'Body (Markdown)'],
  ['meta_title', 'Meta title'],
  ['meta_description', 'Meta description'],
] as const

/** What a user typed who may no longer change the article, until it is discarded. */
export const UnsavedText = ({ of: id }: { of: string }) => {
  const [draft, setDraft] = useState(() => loadDraft(id))
  if (draft === undefined) return null
  const unsaved = unsavedFields(draft)
  const discard = () => {
    removeStoredDraft(id)
    setDraft(undefined)
  }
  return (
    <Card className="p-4">
      <Notice>
        <p>
          Your role no longer lets you change articles, so these changes were not saved. Copy them,
          or ask an owner to change your role: they stay in this tab until you sign out.
        </p>
        <Button onClick={discard}>Discard changes</Button>
      </Notice>
      <div className="space-y-4">
        {TEXTS.map(([name, label]) => {
          const text = unsaved[name]
          return text === undefined ? null : (
            <TextToCopy key={name} name={name} label={`${label}, not saved`} text={text ?? ''} />
          )
        })}
      </div>
    </Card>
  )
}

type TextToCopyProps = { name: (typeof TEXTS)[number][0]; label: string; text: string }

export const TextToCopy = ({ name, label, text }: TextToCopyProps) => (
  <Field label={label} name={`copy-${name}`}>
    <TextArea
      readOnly
      rows={name === 'body' ? 12 : 1}
      value={text}
      className={cx(
        'resize-y font-mono text-sm leading-6',
        name !== 'body' && 'field-sizing-content',
      )}
    />
  </Field>
)
