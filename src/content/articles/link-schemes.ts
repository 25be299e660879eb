/** Schemes of links that a rendered article may have: none that runs a script (contract 6.17). */
export const LINK_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
