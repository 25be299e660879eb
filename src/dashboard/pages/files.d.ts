// Bundled by src/dashboard/bundle/bundle.ts.
declare module '*.css'
declare module '*.svg'
declare module '@joplin/turndown-plugin-gfm' {
  export const tables: (converter: import('turndown')) => void
}
