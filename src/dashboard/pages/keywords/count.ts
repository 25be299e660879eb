/** `3 keywords`, `1 new keyword`. */
export const keywordsOf = (count: number, which = ''): string =>
  `${count} ${which}${count === 1 ? 'keyword' : 'keywords'}`
