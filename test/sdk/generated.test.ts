import { expect, test } from 'bun:test'
import { GENERATED, generate } from '../../packages/sdk/build/generate'
import { useArden } from '../support/arden'

const arden = await useArden({ serve: true })
const response = await fetch(`${arden.url}/openapi.json`)
const document = (await response.json()) as Parameters<typeof generate>[0]

test('packages/sdk/src/generated.ts is what the server’s OpenAPI document makes it today', async () => {
  const today = await generate(document)
  if (today !== (await Bun.file(GENERATED).text()))
    throw new Error(
      'src/generated.ts of the SDK is not up to date. With `bun run dev` running, run `bun packages/sdk/build/generate.ts`.',
    )
})

const USAGE = '/api/public/v1/usage'

/** The document with another schema of the response of `GET /usage`, or with one that is no JSON. */
const withUsage = (content: object) => {
  const get = { ...document.paths[USAGE]?.get, parameters: [] }
  const responses = { 200: { description: '', content: content as { 'application/json': never } } }
  return { ...document, paths: { ...document.paths, [USAGE]: { get: { ...get, responses } } } }
}

test('a call whose response is not JSON, such as a stream, is not one of the client’s', async () => {
  const text = await generate(withUsage({ 'text/event-stream': {} }))
  expect(text).toContain('"/usage": {')
  expect(text).not.toContain("Get this month's usage")
  expect(await generate(document)).toContain("Get this month's usage")
})
