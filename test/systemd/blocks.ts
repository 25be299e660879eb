/** The blocks of docs/operations.md that an installation by hand types, in this order. */
export const BLOCKS = ['roles', 'schema', 'server', 'namespace', 'by-hand', 'install'] as const
