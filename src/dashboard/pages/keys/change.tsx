import { useState } from 'react'
import type { ApiKey } from '../../../keys/record'
import { useChange } from '../api/queries'
import { Button } from '../kit/button'
import { Actions, Dialog } from '../kit/dialog'
import { Field, Form, TextInput } from '../kit/form'
import { toast } from '../kit/toast'

export const ChangeKey = ({ of: key, onClose }: { of: ApiKey; onClose: () => void }) => {
  const [name, setName] = useState(key.name)
  const [limit, setLimit] = useState(String(key.rate_limit))
  const change = useChange<ApiKey>('api-keys')
  const send = () =>
    change.mutate(
      {
        method: 'PATCH',
        path: `/v1/api-keys/${key.id}`,
        body: { name, rate_limit: Number(limit) },
      },
      {
        onSuccess: changed => {
          toast({ title: `${changed.name} is changed`, text: 'It holds for the next request.' })
          onClose()
        },
      },
    )
  return (
    <Dialog open sticky title={`Change ${key.name}`} onClose={onClose}>
      <Form
        error={change.error}
        onSubmit={send}
        actions={
          <Actions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending}>
              Save
            </Button>
          </Actions>
        }
      >
        <Field label="Name" name="name">
          <TextInput required maxLength={100} value={name} onValueChange={setName} />
        </Field>
        <Field
          label="Requests per hour"
          name="rate_limit"
          hint="1 to 100,000. What was used in the last hour stays counted."
        >
          <TextInput
            type="number"
            inputMode="numeric"
            required
            value={limit}
            onValueChange={setLimit}
          />
        </Field>
      </Form>
    </Dialog>
  )
}
