/**
 * A function that throws or returns as `promise` did, for `expect().toThrow`. Tests use it in place of
 * `expect(promise).rejects` (test/repository/nested-loop.test.ts says why).
 */
export const settled = <T>(promise: PromiseLike<T>): Promise<() => T> =>
  Promise.resolve(promise).then(
    value => () => value,
    error => () => {
      throw error
    },
  )
