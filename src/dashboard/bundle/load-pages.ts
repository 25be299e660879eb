import type { Asset } from './pages'

/**
 * The pages' files, built when they are first needed. build/embed-pages.ts replaces this module in the compiled
 * binary, which has them inside and no bundler.
 */
export const loadPages = async (): Promise<Asset[]> => (await import('./pages')).buildPages()
