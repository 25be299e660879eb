// Bundled by build/bundle-pages.ts.
declare module '*.css'
declare module '*.svg'
