import type { Fields } from '../drafts/draft'
import { Field, TextArea, TextInput } from '../kit/forms/form'

/** Characters that search engines usually show. */
const SHOWN = { title: 60, description: 160 }
/** Characters of about the width of two Latin ones. */
const WIDE = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\uff01-\uff60]/gu

type Props = {
  fields: Fields
  /** Of the texts. */
  lang: string | undefined
  onChange: (changed: Partial<Fields>) => void
}

/** What search engines show of an article. An empty field is none. */
export const MetaFields = ({ fields, lang, onChange }: Props) => (
  <>
    <Field
      label="Meta title"
      name="meta_title"
      hint={lengthOf(fields.meta_title, SHOWN.title, 'Without it, search engines show the title.')}
    >
      <TextInput
        lang={lang}
        value={fields.meta_title ?? ''}
        onValueChange={text => onChange({ meta_title: text === '' ? null : text })}
      />
    </Field>
    <Field
      label="Meta description"
      name="meta_description"
      hint={lengthOf(
        fields.meta_description,
        SHOWN.description,
        'Without it, search engines choose a part of the text.',
      )}
    >
      <TextArea
        lang={lang}
        rows={2}
        className="resize-y"
        value={fields.meta_description ?? ''}
        onChange={({ target: { value } }) =>
          onChange({ meta_description: value === '' ? null : value })
        }
      />
    </Field>
  </>
)

const lengthOf = (text: string | null, shown: number, without: string) => {
  if (text === null) return without
  const isWide = (text.match(WIDE)?.length ?? 0) > text.length / 2
  return `${text.length} characters. Search engines usually show the first ${isWide ? shown / 2 : shown}.`
}
