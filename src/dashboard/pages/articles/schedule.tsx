import { useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import { exactTime } from '../kit/controls/time'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, TextInput } from '../kit/forms/form'

type Props = {
  of: Article
  /** The state of the save. */
  change: { error: Error | null; isPending: boolean }
  onSchedule: (at: string) => void
  onClose: () => void
}

/** Asks when a draft is to be published, in the time zone of the browser. */
export const ScheduleArticle = ({ of: article, change, onSchedule, onClose }: Props) => {
  const [local, setLocal] = useState(() => toLocal(article.scheduled_at))
  const at = new Date(local)
  const isTime = !Number.isNaN(at.getTime())
  return (
    <FormDialog
      title="Schedule the publication"
      description="Arden publishes the article at this time and sends its events. You can change or cancel this until then."
      action="Schedule"
      disabled={!isTime}
      change={change}
      onSubmit={() => onSchedule(at.toISOString())}
      onClose={onClose}
    >
      <Field
        label="Publish at"
        name="scheduled_at"
        hint={
          isTime
            ? `${exactTime(at.toISOString())}, in your time zone ${TIME_ZONE}. In UTC: ${at.toISOString().slice(0, 16).replace('T', ' ')}.`
            : `In your time zone, ${TIME_ZONE}.`
        }
      >
        <TextInput type="datetime-local" required value={local} onValueChange={setLocal} />
      </Field>
    </FormDialog>
  )
}

const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** As the input has it: local, to the minute. */
const toLocal = (time: string | null): string => {
  if (time === null) return ''
  const at = new Date(time)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
