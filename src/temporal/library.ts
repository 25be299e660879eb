/**
 * The code of the error of a binary that cannot unpack and load Temporal's native library (build/temporal-plugin.ts). Its
 * message is for operators, and says what to do.
 */
export const LIBRARY_NOT_LOADED = 'ARDEN_LIBRARY_NOT_LOADED'

export const isLibraryNotLoaded = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && error.code === LIBRARY_NOT_LOADED
