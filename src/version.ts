import pkg from '../package.json'

/** Written into the binary by the build (build/compile.ts); without a build it does not exist. */
declare const ARDEN_COMMIT: string | undefined

/** What runs: the version, and the Git commit that a binary was built from, where that is known. */
export const version: string = pkg.version
export const commit: string | undefined =
  typeof ARDEN_COMMIT === 'undefined' ? undefined : ARDEN_COMMIT
