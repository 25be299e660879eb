import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GENERATED, generate } from '../../packages/sdk/build/generate'
import { type Arden, startArden } from '../support/arden'

let arden: Arden
let document: Parameters<typeof generate>[0]
beforeAll(async () => {
  arden = await startArden({ serve: true })
  const response = await fetch(`${arden.url}/openapi.json`)
  document = (await response.json()) as typeof document
})
afterAll(() => arden.stop())

test('packages/sdk/src/generated.ts is what the server’s OpenAPI document makes it today', async () => {
  const today = await generate(document)
  if (today !== (await Bun.file(GENERATED).text()))
    throw new Error(
      'src/generated.ts of the SDK is not up to date. With `bun run dev` running, run `bun packages/sdk/build/generate.ts`.',
    )
})

test('two schemas with one title would be one type: the document that has them is refused', async () => {
  const { '/api/public/v1/usage': usage } = document.paths
  const schema = { title: 'Article', properties: {} }
  const content = { 'application/json': { schema } }
  const paths = {
    ...document.paths,
    '/api/public/v1/usage': {
      get: { ...usage?.get, parameters: [], responses: { 200: { description: '', content } } },
    },
  }
  await expect(generate({ ...document, paths })).rejects.toThrow(
    'two schemas with the title Article',
  )
})
