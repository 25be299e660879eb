import { expect } from 'bun:test'

/** Expects NOT_FOUND of each. Listens to all at once, so that none is rejected unheard. */
export const allNotFound = (done: Promise<unknown>[]) =>
  Promise.all(
    done.map(async one =>
      expect(await one.catch(error => error)).toMatchObject({ code: 'NOT_FOUND' }),
    ),
  )
