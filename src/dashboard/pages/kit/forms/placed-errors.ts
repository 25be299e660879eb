import { ApiError } from '../../api/client'
import { sentence } from '../sentence'

/** `fields`: the texts to show at the fields of a form, by their names. `rest`: what belongs to none of them. */
type PlacedErrors = { fields: { [name: string]: string }; rest: Error | null }

export const NO_ERRORS: PlacedErrors = { fields: {}, rest: null }

/** Finds the field of each detail of an error, so that none of them is hidden. */
export const placeErrors = (error: Error | null, form: HTMLFormElement): PlacedErrors => {
  if (!(error instanceof ApiError) || error.details.length === 0) return { fields: {}, rest: error }
  const names = new Set(fieldsOf(form).map(nameOf))
  const texts = new Map<string, string[]>()
  const rest: string[] = []
  for (const { path, message: ofApi } of error.details) {
    const message = withoutNull(ofApi)
    // `events.0` belongs to the field `events`, `brief.length` to `length`, and `headers.X-Team` says which header.
    const parts = path.split('.')
    const at = parts.findIndex(part => names.has(part))
    const name = parts[at]
    const part = parts.slice(at + 1).join('.')
    if (name === undefined) rest.push(sentence(`${path.replaceAll('_', ' ')} ${message}`))
    else {
      const text = sentence(/^\d*$/.test(part) ? message : `${part} ${message}`)
      texts.set(name, [...(texts.get(name) ?? []), text])
    }
  }
  return {
    fields: Object.fromEntries(
      [...texts].map(([name, all]) => [name, [...new Set(all)].join(' ')]),
    ),
    rest: rest.length === 0 ? null : new Error(rest.join(' ')),
  }
}

/** An empty field is sent as null, which a user of a form cannot type. */
const withoutNull = (message: string): string => message.replace(/,? or null$/, '')

/** Several controls under one label have no control of their own, which the form would move the focus to. */
export const focusFirstOf = (errors: PlacedErrors['fields'], form: HTMLFormElement): void => {
  const first = fieldsOf(form).find(field => errors[nameOf(field)] !== undefined)
  if (first === undefined || first.contains(document.activeElement)) return
  first.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  // The error is at its end, and the buttons of a high form can cover that.
  first.lastElementChild?.scrollIntoView({ block: 'center' })
}

const fieldsOf = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLElement>('[data-field]')]
const nameOf = (field: HTMLElement) => field.dataset.field ?? ''
