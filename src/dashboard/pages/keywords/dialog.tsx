import { type ClipboardEvent, useMemo, useState } from 'react'
import type { KeywordBatchResult } from '../../../content/keywords/batch-schema'
import type { Keyword } from '../../../content/keywords/schema'
import type { Project } from '../../../content/projects/schema'
import { ApiError } from '../api/client'
import { useChange } from '../api/queries'
import { Button } from '../kit/controls/button'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { useChangedMembers, useOverwritten } from '../kit/forms/changed-members'
import { Choice, Field, Select, TextArea, TextInput } from '../kit/forms/form'
import { useHasProvider } from '../session/me'
import { keywordsOf } from './count'
import { CountryField, countryOf, toCode } from './country'

type Props = { onClose: () => void } & ({ of: Keyword } | { project: Project })

/** Adds a keyword, or several, to a project, or changes one. */
export const KeywordDialog = ({ onClose, ...props }: Props) => {
  const of = 'of' in props ? props.of : undefined
  const [keyword, setKeyword] = useState(of?.keyword ?? '')
  const [country, setCountry] = useState(
    of?.country ?? ('project' in props ? countryOf(props.project) : ''),
  )
  const [device, setDevice] = useState<Keyword['device']>(of?.device ?? 'desktop')
  const [tags, setTags] = useState((of?.tags ?? []).join(', '))
  const [tracked, setTracked] = useState(of?.tracked ?? true)
  const isFixed = typeof of?.latest_checked_at === 'string'
  const [isList, setList] = useState(false)
  const save = useChange<Keyword>('keywords')
  const addAll = useChange<KeywordBatchResult>('keywords')
  // One error for one failure: the form moves the focus when it gets another.
  const [sent, setSent] = useState<string[]>([])
  const error = useMemo(() => withKeywords(addAll.error, sent), [addAll.error, sent])
  const hint = useHasProvider('serp')
    ? 'Each new ranking sends a keyword.ranked event to your webhooks.'
    : 'No SERP provider is configured, so rankings are not tracked yet.'
  const body = {
    keyword,
    country: toCode(country),
    device,
    tracked,
    tags: readTags(tags, of?.tags),
  }
  const changed = useChangedMembers(body)
  const overwrites = useOverwritten(changed, of)
  const lines = keyword.split('\n').filter(line => line.trim() !== '')
  const sendAll = (projectId: string) => {
    setSent(lines)
    addAll.mutate(
      {
        method: 'POST',
        path: `/v1/projects/${projectId}/keywords/batch`,
        body: { keywords: lines.map(keyword => ({ ...body, keyword })) },
      },
      {
        onSuccess: ({ created, existing }) => {
          toast({
            title: `${keywordsOf(created)} added`,
            ...(existing > 0 && {
              text: `${existing} ${existing === 1 ? 'was' : 'were'} there already, or twice in the list.`,
            }),
          })
          onClose()
        },
      },
    )
  }
  const sendOne = () =>
    save.mutate(
      'of' in props
        ? {
            method: 'PATCH',
            path: `/v1/keywords/${props.of.id}`,
            asRead: true,
            body: changed,
          }
        : { method: 'POST', path: `/v1/projects/${props.project.id}/keywords`, body },
      {
        onSuccess: saved => {
          toast({ title: `${saved.keyword} ${of === undefined ? 'added' : 'updated'}` })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      title={of !== undefined ? `Edit ${of.keyword}` : isList ? 'Add keywords' : 'Add keyword'}
      action={of !== undefined ? 'Save' : isList ? `Add ${lines.length}` : 'Add'}
      disabled={isList && lines.length === 0}
      change={isList ? { ...addAll, error } : save}
      overwrites={overwrites}
      onSubmit={() => ('project' in props && isList ? sendAll(props.project.id) : sendOne())}
      onClose={onClose}
    >
      {isList ? (
        <Field
          label="Keywords"
          name="keyword"
          hint="One search term per line, all with the settings below."
        >
          <TextArea
            autoFocus
            rows={6}
            value={keyword}
            onPaste={pasteFirstColumn}
            onChange={event => setKeyword(event.target.value)}
          />
        </Field>
      ) : (
        <div className="flex items-start gap-2">
          <div className="grow">
            <Field
              label="Keyword"
              name="keyword"
              hint="The search term, as people type it into a search engine."
            >
              <TextInput
                autoFocus
                required
                value={keyword}
                onValueChange={setKeyword}
                onPaste={event => {
                  const text = event.clipboardData.getData('text')
                  if (of !== undefined || !text.trim().includes('\n'))
                    return pasteFirstColumn(event)
                  // An input would join the lines to one keyword.
                  event.preventDefault()
                  const { selectionStart, selectionEnd } = event.currentTarget
                  setKeyword(
                    keyword.slice(0, selectionStart ?? keyword.length) +
                      firstColumn(text) +
                      keyword.slice(selectionEnd ?? keyword.length),
                  )
                  setList(true)
                }}
              />
            </Field>
          </div>
          {of === undefined && (
            <Button className="mt-5.5" onClick={() => setList(true)}>
              Enter several
            </Button>
          )}
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <CountryField
          hint={
            isFixed
              ? 'Fixed, with the device, by its rankings. Add a keyword for another.'
              : 'Such as US or DE.'
          }
          disabled={isFixed}
          value={country}
          onChange={setCountry}
        />
        <Field label="Device" name="device">
          <Select
            disabled={isFixed}
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

/** Says which keyword is wrong: the API names it by its number in the list. */
const withKeywords = (error: Error | null, keywords: string[]): Error | null =>
  error instanceof ApiError
    ? new ApiError(
        error.status,
        error.code,
        error.message,
        error.requestId,
        error.details.map(({ path, message }) => {
          const wrong = keywords[Number(/^keywords\.(\d+)\.keyword$/.exec(path)?.[1])]
          return wrong === undefined
            ? { path, message }
            : { path: 'keyword', message: `“${shorten(wrong.trim())}” ${message}` }
        }),
      )
    : error

/** Characters of a wrong keyword that identify it. */
const SHOWN_MAX = 40

const shorten = (text: string) =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`

/** Of rows that were copied from a spreadsheet, which have volumes and the like behind the search term. */
const firstColumn = (text: string) =>
  text.replace(/[^\r\n]+/g, row => row.split('\t').find(cell => cell.trim() !== '') ?? '')

const pasteFirstColumn = (event: ClipboardEvent<HTMLElement>): void => {
  const text = event.clipboardData.getData('text')
  if (!text.includes('\t')) return
  event.preventDefault()
  // As if it was typed, so that it can be undone.
  document.execCommand('insertText', false, firstColumn(text))
}

/** Divided by commas, also those of Chinese and Japanese, unless the keyword has a tag with such a comma from the API. */
const readTags = (text: string, saved: string[] = []): string[] => [
  ...new Set(
    text
      .split(saved.some(tag => /[，、]/.test(tag)) ? ',' : /[,，、]/)
      .map(tag => tag.trim())
      .filter(tag => tag !== ''),
  ),
]
