import assert from 'node:assert/strict'
import { ArdenError, type ArdenOptions, createArden } from '@arden/sdk'

const given = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run test/sdk/package.slow.test.ts.`)
  return value
}

/** The server and a live key for it. */
export const url = given('ARDEN_URL')
export const apiKey = given('ARDEN_API_KEY')
export const arden = createArden({ url, apiKey })
export const through = (proxy: { url: string }, options: Partial<ArdenOptions> = {}) =>
  createArden({ url: proxy.url, apiKey, ...options })

/** The ArdenError that a call ends with. */
export const errorOf = async (call: Promise<unknown>): Promise<ArdenError> => {
  const outcome = await call.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  )
  assert('error' in outcome, `it did not fail, but returned ${JSON.stringify(outcome)}`)
  assert(outcome.error instanceof ArdenError, `it failed otherwise: ${outcome.error}`)
  return outcome.error
}
