import type { Webhook } from '../../../webhooks/endpoints/schema'
import { ALL_EVENTS, EVENT_TYPES, type EventType } from '../../../webhooks/events/types'
import { DocLink } from '../kit/controls/doc-link'
import { Choice, Choices, Field, TextInput } from '../kit/forms/form'
import { HeaderFields, type HeaderRow, headerChanges } from './headers'

export type Fields = {
  url: string
  events: Webhook['events']
  description: string
  ordered: boolean
  headers: HeaderRow[]
}

/** The body of a request that creates a webhook, or changes the one with the headers `stored`. */
export const toBody = (
  { url, description, headers, ...fields }: Fields,
  stored?: Webhook['headers'],
) => ({
  ...fields,
  url: url.trim(),
  description: description || null,
  headers: headerChanges(headers, stored),
})

type Props = { of: Fields; onChange: (fields: Fields) => void }

/** The fields of a webhook. */
export const WebhookFields = ({ of: fields, onChange }: Props) => {
  const isAll = fields.events.includes(ALL_EVENTS)
  const toggle = (type: EventType, on: boolean) =>
    onChange({
      ...fields,
      // In the order of EVENT_TYPES.
      events: EVENT_TYPES.filter(one => (one === type ? on : fields.events.includes(one))),
    })
  return (
    <>
      <Field
        label="URL"
        name="url"
        hint="The endpoint that receives events as POST requests."
        invalid="Enter a complete URL, such as https://example.com/hooks."
      >
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
        <Choice
          type="checkbox"
          label="All events"
          hint="Also event types that are added later."
          className="sm:col-span-2"
          checked={isAll}
          onChange={event =>
            onChange({ ...fields, events: event.target.checked ? [ALL_EVENTS] : [...EVENT_TYPES] })
          }
        />
        {EVENT_TYPES.map(type => (
          <Choice
            key={type}
            type="checkbox"
            label={type}
            disabled={isAll}
            checked={isAll || fields.events.includes(type)}
            onChange={event => toggle(type, event.target.checked)}
          />
        ))}
      </Choices>
      <p className="-mt-2 text-sm">
        <DocLink to="/docs/guides/webhooks#what-is-sent">
          When each event fires, and its data
        </DocLink>
      </p>
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
      <HeaderFields of={fields.headers} onChange={headers => onChange({ ...fields, headers })} />
    </>
  )
}
