import { useState } from 'react'
import type { KeywordImportResult } from '../../../content/keywords/batch-schema'
import { useChange } from '../api/queries'
import { toast } from '../kit/controls/toast'
import { FormDialog } from '../kit/dialogs/form-dialog'
import { Field, PlainInput } from '../kit/forms/form'

type Props = { projectId: string; onClose: () => void }

/** Checks a CSV file, shows what is wrong with each line, and imports it when nothing is. */
export const ImportKeywords = ({ projectId, onClose }: Props) => {
  const [csv, setCsv] = useState<string>()
  const [preview, setPreview] = useState<KeywordImportResult>()
  const send = useChange<KeywordImportResult>('keywords')
  const path = `/v1/projects/${projectId}/keywords/import`
  const check = async (file: File | undefined) => {
    setPreview(undefined)
    const text = await file?.text()
    setCsv(text)
    if (text === undefined) return
    send.mutate(
      { method: 'POST', path, body: { csv: text, preview: true } },
      { onSuccess: setPreview },
    )
  }
  const load = () =>
    send.mutate(
      { method: 'POST', path, body: { csv } },
      {
        onSuccess: ({ created, existing }) => {
          toast({ title: `Imported ${created} keywords`, text: describeExisting(existing) })
          onClose()
        },
      },
    )
  const isReady = preview !== undefined && preview.errors.length === 0 && preview.keywords > 0
  return (
    <FormDialog
      title="Import keywords"
      description="A CSV file with the columns keyword, and optionally country, device, tracked and tags (divided by semicolons)."
      action={isReady ? `Import ${preview.created}` : 'Import'}
      disabled={!isReady}
      change={send}
      onSubmit={load}
      onClose={onClose}
    >
      <Field label="File" name="csv" hint="At most 2,000 keywords.">
        <PlainInput
          type="file"
          accept=".csv,text/csv"
          aria-label="CSV file"
          className="w-full py-1"
          onChange={event => check(event.target.files?.[0])}
        />
      </Field>
      {send.isPending && (
        <p role="status" className="text-sm text-muted">
          <progress aria-label="Progress" className="mr-2 w-24 align-middle" />
          {preview === undefined
            ? 'Checking the file …'
            : `Importing ${preview.created} keywords …`}
        </p>
      )}
      {preview && <Preview of={preview} />}
    </FormDialog>
  )
}

const Preview = ({ of: { created, existing, errors } }: { of: KeywordImportResult }) =>
  errors.length === 0 ? (
    <p className="text-sm">
      {created} new keywords. {describeExisting(existing)}
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

const describeExisting = (count: number) =>
  count === 0
    ? undefined
    : `${count} are in the project or twice in the file, and stay as they are.`
