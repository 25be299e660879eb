/** Characters; search engines cut longer slugs. */
const SLUG_MAX = 80

/** `Crème brûlée, easily!` -> `creme-brulee-easily`. Letters of other scripts are kept. */
export const slugify = (title: string): string =>
  title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
    .join('-')
    .slice(0, SLUG_MAX)
    .replace(/-$/, '') || 'untitled'
