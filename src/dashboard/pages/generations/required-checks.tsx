import type { Generation } from '../../../content/generations/schema'
import { Choice, Choices } from '../kit/forms/form'

type Check = Generation['required_checks'][number]

/** A check that the server adds does not compile until it has a name. */
export const CHECK_LABELS: { [check in Check]: string } = {
  language: 'Language',
  length: 'Length',
  headings: 'Headings',
  keyword: 'Keyword',
  placeholder: 'Placeholders',
}
const CHECKS = Object.keys(CHECK_LABELS) as Check[]

type Props = { value: readonly Check[]; onChange: (value: Check[]) => void }

/** Checks without which the generation fails. */
export const RequiredChecks = ({ value, onChange }: Props) => (
  <Choices
    label="Required checks"
    name="required_checks"
    hint="When one of them finds something, the generation fails, and no article is created or changed. The others are warnings beside it."
  >
    {CHECKS.map(check => (
      <Choice
        key={check}
        type="checkbox"
        label={CHECK_LABELS[check]}
        checked={value.includes(check)}
        onChange={({ target }) =>
          onChange(target.checked ? [...value, check] : value.filter(one => one !== check))
        }
      />
    ))}
  </Choices>
)
