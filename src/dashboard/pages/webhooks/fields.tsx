import type { Webhook } from '../../../webhooks/endpoints/schema'
import { ALL_EVENTS, EVENT_TYPES, type EventType } from '../../../webhooks/events/types'
import { Choice, Choices, Field, TextInput } from '../kit/forms/form'

export type Fields = {
  url: string
  events: Webhook['events']
  description: string
  ordered: boolean
}

type Props = { of: Fields; onChange: (fields: Fields) => void }

/** The fields of a webhook. */
export const WebhookFields = ({ of: fields, onChange }: Props) => {
  const isChecked = (type: EventType) =>
    fields.events.includes(ALL_EVENTS) || fields.events.includes(type)
  const toggle = (type: EventType, on: boolean) =>
    onChange({
      ...fields,
      // In the order of EVENT_TYPES.
      events: EVENT_TYPES.filter(one => (one === type ? on : isChecked(one))),
    })
  return (
    <>
      <Field label="URL" name="url" hint="The endpoint that receives events as POST requests.">
        <TextInput
          autoFocus
          required
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/hooks"
          value={fields.url}
          onValueChange={url => onChange({ ...fields, url })}
        />
      </Field>
      <Choices label="Events" name="events" invalid="Choose at least one event.">
        {EVENT_TYPES.map(type => (
          <Choice
            key={type}
            type="checkbox"
            label={type}
            checked={isChecked(type)}
            onChange={event => toggle(type, event.target.checked)}
          />
        ))}
      </Choices>
      <Choice
        type="checkbox"
        label="Deliver in order"
        hint="Sends one event at a time, in the order of the changes. Later events wait while one is retried."
        checked={fields.ordered}
        onChange={event => onChange({ ...fields, ordered: event.target.checked })}
      />
      <Field
        label="Description"
        name="description"
        hint="For example the system that receives the events."
      >
        <TextInput
          value={fields.description}
          onValueChange={description => onChange({ ...fields, description })}
        />
      </Field>
    </>
  )
}
