// Bundled by src/dashboard/bundle/bundle.ts.
declare module '*.css'
declare module '*.svg'
