import { Choice } from '../kit/forms/form'

type Props = {
  value: boolean
  onChange: (isReviewed: boolean) => void
  /** When the articles are written. */
  hint: string
}

export const ReviewOutline = ({ value, onChange, hint }: Props) => (
  <Choice
    type="checkbox"
    label="Wait for my approval of the outline"
    hint={hint}
    checked={value}
    onChange={event => onChange(event.target.checked)}
  />
)
