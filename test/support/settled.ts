/**
 * A function that throws or returns as `promise` did, for `expect().toThrow`. Bun's own way to expect a rejection is
 * not used (test/repository/nested-loop.test.ts).
 */
export const settled = <T>(promise: PromiseLike<T>): Promise<() => T> =>
  Promise.resolve(promise).then(
    value => () => value,
    error => () => {
      throw error
    },
  )
