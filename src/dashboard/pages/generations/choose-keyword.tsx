import type { Keyword } from '../../../content/keywords/schema'
import { useFullList } from '../api/full-list'
import { Field, Select } from '../kit/forms/form'
import { Problem } from '../kit/layout/problem'

type Props = { projectId: string; value: string; onChange: (id: string) => void }

/** The keyword of a project to write about. */
export const ChooseKeyword = ({ projectId, value, onChange }: Props) => {
  const keywords = useFullList<Keyword>('keywords', `/projects/${projectId}/keywords`)
  const isNone = keywords.rows?.length === 0
  return (
    <>
      <Field
        label="Keyword"
        name="keyword_id"
        {...(isNone && {
          hint: 'This project has no keywords yet. Add one on the project’s page.',
        })}
      >
        <Select
          required
          value={value}
          disabled={keywords.rows === undefined || isNone}
          onChange={event => onChange(event.target.value)}
        >
          <option value="">
            {keywords.isPending ? 'Loading…' : isNone ? 'No keywords' : 'Choose a keyword'}
          </option>
          {keywords.rows?.map(({ id, keyword, country, device }) => (
            <option key={id} value={id}>
              {keyword} ({country}, {device})
            </option>
          ))}
        </Select>
      </Field>
      <Problem error={keywords.error} onRetry={keywords.refetch} />
    </>
  )
}
