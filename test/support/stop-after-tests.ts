import { afterAll } from 'bun:test'

/** Returns `started`, and stops it after the tests of the file or `describe` that called this. */
export const stopAfterTests = <Started extends { stop: () => unknown }>(
  started: Started,
): Started => {
  afterAll(() => started.stop())
  return started
}
