import { useState } from 'react'
import type { KeywordImportResult } from '../../../content/keywords/batch-schema'
import { CSV_LINES_MAX, describeWrongFile } from '../../../content/keywords/csv-file'
import type { Project } from '../../../content/projects/schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, PlainInput } from '../kit/forms/form'
import { keywordsOf } from './count'
import { CountryField, countryOf, toCode } from './country'

type Props = { project: Project; onClose: () => void }

/** Checks a CSV file, shows what is wrong with each line, and imports it when nothing is. */
export const ImportKeywords = ({ project, onClose }: Props) => {
  const [csv, setCsv] = useState<string>()
  const [wrongFile, setWrongFile] = useState<string>()
  const [preview, setPreview] = useState<KeywordImportResult>()
  const send = useChange<KeywordImportResult>('keywords')
  const path = `/v1/projects/${project.id}/keywords/import`
  const [country, setCountry] = useState(countryOf(project))
  const showPreview = (csv: string, country: string) => {
    const body = { csv, country: toCode(country), preview: true }
    send.mutate({ method: 'POST', path, body }, { onSuccess: setPreview })
  }
  const check = async (file: File | undefined) => {
    setPreview(undefined)
    const text = await file?.text()
    const wrong = text === undefined ? undefined : describeWrongFile(text)
    setCsv(text)
    setWrongFile(wrong)
    if (text === undefined || wrong !== undefined) return send.reset()
    showPreview(text, country)
  }
  const load = () =>
    send.mutate(
      { method: 'POST', path, body: { csv, country: toCode(country) } },
      {
        onSuccess: ({ created, existing }) => {
          toast({ title: `Imported ${keywordsOf(created)}`, text: describeExisting(existing) })
          onClose()
        },
      },
    )
  const isReady = preview !== undefined && preview.errors.length === 0 && preview.created > 0
  return (
    <FormDialog
      title="Import keywords"
      description="A CSV file with the columns keyword, and optionally country, device, tracked and tags (divided by semicolons)."
      action={isReady ? `Import ${preview.created}` : 'Import'}
      disabled={!isReady}
      closeWarning={isReady ? 'The file is not imported.' : undefined}
      change={send}
      mayClose={!send.isPending || preview === undefined}
      onSubmit={load}
      onClose={onClose}
    >
      <Field
        label="File"
        name="csv"
        hint={`At most ${CSV_LINES_MAX.toLocaleString('en')} keywords. One without a device is searched on desktop.`}
      >
        <PlainInput
          type="file"
          accept=".csv,text/csv"
          aria-label="CSV file"
          className="w-full py-1"
          // Else the browser reports no change when a corrected file is chosen again.
          onClick={event => {
            event.currentTarget.value = ''
            void check(undefined)
          }}
          onChange={event => check(event.target.files?.[0])}
        />
      </Field>
      <CountryField
        hint="Of keywords without one in the file, such as US or DE."
        disabled={send.isPending && preview !== undefined}
        value={country}
        onChange={typed => {
          setCountry(typed)
          setPreview(undefined)
          if (csv !== undefined && wrongFile === undefined && toCode(typed).length === 2)
            showPreview(csv, typed)
        }}
      />
      {send.isPending && (
        <p role="status" className="text-sm text-muted">
          <progress aria-label="Progress" className="mr-2 w-24 align-middle" />
          {preview === undefined
            ? 'Checking the file …'
            : `Importing ${keywordsOf(preview.created)} …`}
        </p>
      )}
      {wrongFile !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {wrongFile}
        </p>
      )}
      {preview && <Preview of={preview} />}
    </FormDialog>
  )
}

const Preview = ({ of: { created, existing, errors } }: { of: KeywordImportResult }) =>
  errors.length === 0 ? (
    <p className="text-sm">
      {created === 0 ? 'No new keywords.' : `${keywordsOf(created, 'new ')}.`}{' '}
      {describeExisting(existing)}
    </p>
  ) : (
    <div className="text-sm">
      <p className="text-bad">Nothing is imported until these lines are corrected:</p>
      <ul className="mt-1 max-h-48 list-disc overflow-y-auto pl-5">
        {errors.map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>
            Line {line}
            {column === null ? '' : `, ${column}`}: {message}
          </li>
        ))}
      </ul>
    </div>
  )

const describeExisting = (count: number) => {
  if (count === 0) return undefined
  return count === 1
    ? '1 is in the project or twice in the file, and stays as it is.'
    : `${count} are in the project or twice in the file, and stay as they are.`
}
