import { useState } from 'react'
import type { Keyword } from '../../../content/keywords/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useChangedMembers, useOverwritten } from '../kit/forms/changed-members'
import { Choice, Field, Select, TextInput } from '../kit/forms/form'
import { useHasProvider } from '../session/me'

type Props = { onClose: () => void } & ({ of: Keyword } | { projectId: string })

/** Adds a keyword to a project, or changes one. */
export const KeywordDialog = ({ onClose, ...props }: Props) => {
  const of = 'of' in props ? props.of : undefined
  const [keyword, setKeyword] = useState(of?.keyword ?? '')
  const [country, setCountry] = useState(of?.country ?? 'US')
  const [device, setDevice] = useState<Keyword['device']>(of?.device ?? 'desktop')
  const [tags, setTags] = useState((of?.tags ?? []).join(', '))
  const [tracked, setTracked] = useState(of?.tracked ?? true)
  const save = useChange<Keyword>('keywords')
  const hint = useHasProvider('serp')
    ? 'Each new ranking sends a keyword.ranked event to your webhooks.'
    : 'No SERP provider is configured, so rankings are not tracked yet.'
  const code = country.trim().toUpperCase()
  const body = { keyword, country: code, device, tracked, tags: readTags(tags) }
  const changed = useChangedMembers(body)
  const overwrites = useOverwritten(changed, of)
  const send = () =>
    save.mutate(
      'of' in props
        ? { method: 'PATCH', path: `/v1/keywords/${props.of.id}`, body: changed }
        : { method: 'POST', path: `/v1/projects/${props.projectId}/keywords`, body },
      {
        onSuccess: saved => {
          toast({ title: `${saved.keyword} ${of === undefined ? 'added' : 'updated'}` })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title={of === undefined ? 'Add keyword' : `Edit ${of.keyword}`}
      action={of === undefined ? 'Add' : 'Save'}
      change={save}
      overwrites={overwrites}
      onSubmit={send}
      onClose={onClose}
    >
      <Field
        label="Keyword"
        name="keyword"
        hint="The search term, as people type it into a search engine."
      >
        <TextInput autoFocus required value={keyword} onValueChange={setKeyword} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Country" name="country" hint="Such as US or DE.">
          <TextInput
            required
            autoCapitalize="characters"
            spellCheck={false}
            value={country}
            onValueChange={setCountry}
          />
        </Field>
        <Field label="Device" name="device">
          <Select
            value={device}
            onChange={event => setDevice(event.target.value as Keyword['device'])}
          >
            <option value="desktop">Desktop</option>
            <option value="mobile">Mobile</option>
          </Select>
        </Field>
      </div>
      <Field
        label="Tags"
        name="tags"
        hint="To group keywords, divided by commas. Optional."
        invalid="Divide tags by commas; each has at most 40 characters, and no semicolon."
      >
        <TextInput value={tags} onValueChange={setTags} />
      </Field>
      <Choice
        type="checkbox"
        name="tracked"
        label="Track rankings"
        hint={hint}
        checked={tracked}
        onChange={event => setTracked(event.target.checked)}
      />
    </FormDialog>
  )
}

const readTags = (text: string): string[] =>
  text
    .split(',')
    .map(tag => tag.trim())
    .filter(tag => tag !== '')
