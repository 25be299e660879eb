import { join } from 'node:path'

/** The root folder of the project. */
export const ROOT = join(import.meta.dir, '..')
