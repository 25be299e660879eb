import { useState } from 'react'
import type { GenerationDetail } from '../../../content/generations/schema'
import { useChange } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toast } from '../kit/controls/toast'
import { useLeaveGuard } from '../kit/dialogs/leave-guard'
import { Field, Form, TextArea } from '../kit/forms/form'
import { Notice } from '../kit/layout/notice'
import { Card } from '../kit/layout/page'

/**
 * The outline that waits for an approval, to be changed or approved as it is. What was typed stays when it is approved,
 * or the generation ends, elsewhere.
 */
export const ApproveOutline = (props: { of: GenerationDetail; mayChange: boolean }) => {
  const { of: generation, mayChange } = props
  const before = (generation.outline ?? []).join('\n')
  const [typed, setTyped] = useState<string>()
  const approve = useChange<GenerationDetail>('generations')
  const text = typed ?? before
  const outline = toOutline(text)
  // The server stores headings, not the text: their lines differ from it by blanks and marks.
  const isChanged = typed !== undefined && outline.join('\n') !== before
  const isWaiting = generation.status === 'AWAITING_APPROVAL'
  const leave = useLeaveGuard(
    isChanged,
    `Your changes of the outline are lost when you leave. ${isWaiting ? 'Approve' : 'Copy'} it to keep them.`,
  )
  const send = () =>
    approve.mutate(
      {
        method: 'POST',
        path: `/v1/generations/${generation.id}/approve`,
        body: isChanged ? { outline } : {},
      },
      {
        onSuccess: () => {
          setTyped(undefined)
          toast({ title: 'Outline approved' })
        },
      },
    )
  if (!isWaiting && (!isChanged || approve.isPending)) return null
  if (!isWaiting)
    return (
      <Card title="Your headings were not used">
        <div className="p-4">
          <Notice>
            <p>
              {ENDED[generation.status] ??
                'The outline was approved in another tab or by another user while you changed it.'}{' '}
              Copy your headings to keep them.
            </p>
            <Button onClick={() => setTyped(undefined)}>Discard</Button>
          </Notice>
          <Field label="Headings" name="outline">
            <TextArea readOnly rows={Math.min(16, outline.length + 2)} value={text} />
          </Field>
        </div>
        {leave.question}
      </Card>
    )
  return (
    <Card title="Outline to approve">
      <div className="p-4">
        <Form
          onSubmit={send}
          error={approve.error}
          actions={
            mayChange && (
              <Button type="submit" variant="primary" disabled={approve.isPending}>
                {isChanged ? 'Approve changed outline' : 'Approve outline'}
              </Button>
            )
          }
        >
          <Field
            label="Headings"
            name="outline"
            invalid="Enter at least one heading."
            hint={
              mayChange
                ? 'One on each line. The article is written when you approve them.'
                : 'The article is written when a member or an owner approves them.'
            }
          >
            <TextArea
              rows={Math.min(16, outline.length + 2)}
              readOnly={!mayChange}
              value={text}
              onChange={({ target: { value } }) => setTyped(value === before ? undefined : value)}
            />
          </Field>
        </Form>
      </div>
      {leave.question}
    </Card>
  )
}

const ENDED: { [status in GenerationDetail['status']]?: string } = {
  CANCELLED: 'The generation was cancelled while you changed its outline.',
  FAILED: 'The generation failed while you changed its outline.',
}

/** A heading for each line with a text, without the marks of a Markdown heading or list that was pasted. */
export const toOutline = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim().replace(/^(#{1,6}|[-*•])\s+/, ''))
    .filter(line => line !== '')
