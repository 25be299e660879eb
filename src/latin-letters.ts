/** Letters of the Latin script that Unicode does not decompose, as they are written with plain ones. */
export const LATIN_LETTERS = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
} as const

/** Quotes of text processors, as keyboards have them. */
export const PLAIN_QUOTES = { '’': "'", '‘': "'", '“': '"', '”': '"', '„': '"' } as const
