import { create } from 'content-disposition'
import type { ExportFormat } from './limits'

/** Files of an export (contract 6.17). */

const EXTENSIONS: { [format in ExportFormat]: string } = { markdown: '.md', html: '.html' }

/** Bytes of a name without its suffix and extension. File systems permit 255. */
const NAME_BYTES_MAX = 200

/** Names of devices, which Windows reserves with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** The name of an article's file: its slug, of letters, digits and hyphens only. */
export const fileName = (slug: string, format: ExportFormat): string =>
  baseName(slug) + EXTENSIONS[format]

/**
 * Returns a function that names the next article of a ZIP. A name that differs from an earlier one only in case, or in
 * how its letters are encoded, gets a number: some file systems take both for one.
 */
export const createFileNames = (format: ExportFormat): ((slug: string) => string) => {
  /** The number of the next file, by name as file systems compare it. */
  const next = new Map<string, number>()
  const fold = (name: string) => name.normalize('NFKC').toUpperCase().toLowerCase()
  return slug => {
    const base = baseName(slug)
    let name = base
    let number = next.get(fold(base)) ?? 1
    for (; next.has(fold(name)); number++) name = `${base}-${number + 1}`
    next.set(fold(base), number)
    next.set(fold(name), 1)
    return name + EXTENSIONS[format]
  }
}

/** The header of a download (RFC 6266). Clients that do not know the extended name get one of ASCII characters. */
export const attachment = (name: string): string =>
  create(name, {
    fallback: name
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]/g, '')
      .replace(/^[-.]/, 'article$&'),
  })

const baseName = (slug: string): string => {
  const name = slug
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const base = firstBytes(name).replace(/^-|-$/g, '')
  if (base === '') return 'article'
  return RESERVED.test(base.normalize('NFKC')) ? `${base}-article` : base
}

/** Whole characters of the beginning of `text`. */
const firstBytes = (text: string): string => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(NAME_BYTES_MAX))
  return text.slice(0, read)
}
