import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'

const arden = await useArden({ serve: true })
const get = (accept: string) => fetch(`${arden.url}/`, { headers: { accept }, redirect: 'manual' })

test('GET / leads a browser to the dashboard, and is a JSON 404 for programs', async () => {
  const browser = await get('text/html,application/xhtml+xml,*/*;q=0.8')
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/dashboard'])
  const program = await get('*/*')
  expect(program.status).toBe(404)
  expect(await program.json()).toMatchObject({ error: 'NOT_FOUND' })
})
