import type { Asset } from '../../build/pages'

/** The pages' files. In the compiled binary a module that has them inside takes the place of this one. */
export const loadPages = async (): Promise<Asset[]> =>
  (await import('../../build/pages')).buildPages()
