import type { Keyword } from '../../../content/keywords/schema'
import { useFullList } from '../api/full-list'
import type { Fields } from '../drafts/draft'
import { cx } from '../kit/classes'
import { useFilters } from '../kit/forms/filters'
import { Field, Select, TextArea, TextInput } from '../kit/forms/form'
import { useLanguage } from '../project-picker/language'
import { MetaFields } from './meta-fields'
import { Preview } from './preview'

type Props = {
  projectId: string
  fields: Fields
  onChange: (changed: Partial<Fields>) => void
}

/** The fields of an article. On a wide screen, the preview is beside the text. On paper it is there alone, and whole. */
export const EditorFields = ({ projectId, fields, onChange }: Props) => {
  const [{ view }, setFilter] = useFilters('view')
  const isPreview = view === 'preview'
  const lang = useLanguage(projectId)
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2 print:hidden">
        <div className="sm:col-span-2">
          <Field label="Title" name="title">
            <TextInput
              lang={lang}
              value={fields.title}
              onValueChange={title => onChange({ title })}
            />
          </Field>
        </div>
        <Field
          label="Slug"
          name="slug"
          invalid="Use letters and digits, separated by hyphens, such as cold-brew-at-home."
        >
          <TextInput
            autoCapitalize="none"
            spellCheck={false}
            value={fields.slug}
            onValueChange={slug => onChange({ slug })}
          />
        </Field>
        <KeywordField projectId={projectId} fields={fields} onChange={onChange} />
        <MetaFields fields={fields} lang={lang} onChange={onChange} />
      </div>
      <fieldset className="flex gap-1 rounded-lg bg-sunken p-1 lg:hidden print:hidden">
        <legend className="sr-only">View</legend>
        {(['write', 'preview'] as const).map(one => (
          <button
            key={one}
            type="button"
            aria-pressed={isPreview === (one === 'preview')}
            onClick={() => setFilter('view', one === 'preview' ? one : '')}
            className="h-9 grow rounded-md text-sm font-medium text-muted aria-pressed:bg-surface aria-pressed:text-text aria-pressed:ring-1 aria-pressed:ring-line-strong"
          >
            {one === 'write' ? 'Write' : 'Preview'}
          </button>
        ))}
      </fieldset>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2 print:block">
        <div className={cx('print:hidden', isPreview && 'max-lg:hidden')}>
          <Field label="Body (Markdown)" name="body">
            <TextArea
              lang={lang}
              value={fields.body}
              onChange={event => onChange({ body: event.target.value })}
              className="h-[62vh] min-h-72 resize-none py-3 font-mono text-sm leading-6"
            />
          </Field>
        </div>
        <div className={cx('print:block!', !isPreview && 'max-lg:hidden')}>
          <p className="mb-1 text-sm font-medium max-lg:hidden print:hidden">Preview</p>
          <section
            aria-label="Preview"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard as well
            tabIndex={0}
            className="h-[62vh] min-h-72 overflow-auto rounded-md border border-line bg-surface px-4 py-3 print:h-auto print:overflow-visible print:border-0"
          >
            <Preview of={fields.body} lang={lang} />
          </section>
        </div>
      </div>
    </>
  )
}

const KeywordField = ({ projectId, fields, onChange }: Props) => {
  const { rows, hasNextPage, isError } = useFullList<Keyword>(
    'keywords',
    `/projects/${projectId}/keywords`,
  )
  const missing = isError
    ? 'Not loaded. Reload the page.'
    : rows === undefined || hasNextPage
      ? 'Loading…'
      : 'Deleted keyword'
  const current = fields.keyword_id
  const isKnown = current === null || rows?.some(({ id }) => id === current)
  return (
    <Field label="Keyword" name="keyword_id">
      <Select
        value={current ?? ''}
        onChange={event => onChange({ keyword_id: event.target.value || null })}
      >
        <option value="">None</option>
        {!isKnown && current !== null && <option value={current}>{missing}</option>}
        {rows?.map(({ id, keyword, country, device }) => (
          <option key={id} value={id}>
            {keyword} ({country}, {device})
          </option>
        ))}
      </Select>
    </Field>
  )
}
