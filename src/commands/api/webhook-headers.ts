import { InvalidArgumentError } from '@commander-js/extra-typings'

/** The options for custom headers of a webhook; each can be repeated. */
export const HEADER = [
  '--header <header>',
  'header of each delivery, "Name: value"; repeat it for several',
  (text: string, before: { [name: string]: string } = {}) => addHeader(before, readHeader(text)),
] as const

export const REMOVE_HEADER = [
  '--remove-header <name>',
  'header to remove; repeat it for several',
  (name: string, before: { [name: string]: null } = {}) => ({ ...before, [name]: null }),
] as const

/** The server refuses names that differ in case only; of the same name it would get the last value alone. */
const addHeader = (before: { [name: string]: string }, [name, value]: [string, string]) => {
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is there twice.`)
  return { ...before, [name]: value }
}

const readHeader = (text: string): [name: string, value: string] => {
  const [, name, value] = /^([^\s:]+):[ \t]*(\S.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new InvalidArgumentError('It must be "Name: value".')
}
