/** Characters: beyond it, search engines and people stop reading. */
const SLUG_MAX = 80

/** `Crème brûlée, easily!` -> `creme-brulee-easily`. Letters of other scripts stay as they are. */
export const slugify = (title: string): string =>
  title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, SLUG_MAX)
    .replace(/-+$/, '') || 'untitled'
