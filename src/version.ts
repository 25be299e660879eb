import pkg from '../package.json'

/** Defined by the build (build/compile.ts); undefined when run from source. */
declare const ARDEN_COMMIT: string | undefined

/** The version, and the Git commit of a binary if known. */
export const version: string = pkg.version
export const commit: string | undefined =
  typeof ARDEN_COMMIT === 'undefined' ? undefined : ARDEN_COMMIT
