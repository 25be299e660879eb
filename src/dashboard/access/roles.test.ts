import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { DASHBOARD_API, OPEN, RECORDS } from '../paths'
import { createRequiredRole, hasRole, withRole } from './roles'

const routes = () =>
  new Elysia({ prefix: DASHBOARD_API })
    .use(withRole)
    .get('/people', () => '', { role: 'viewer' })
    .patch('/people/:id', () => '', { role: 'owner' })
    .use(new Elysia({ prefix: '/open' }).post('/sign-in', () => ''))
    .use(new Elysia({ prefix: '/v1' }).get('/articles', () => '').post('/articles', () => ''))

test('reads the role of a route from the route table', () => {
  const requiredRole = createRequiredRole(routes().routes)
  expect(requiredRole('GET', `${DASHBOARD_API}/people`)).toBe('viewer')
  expect(requiredRole('HEAD', `${DASHBOARD_API}/people/`)).toBe('viewer')
  expect(requiredRole('PATCH', `${DASHBOARD_API}/people/usr_1`)).toBe('owner')
})

test('requires what the scope of a public API route says', () => {
  const requiredRole = createRequiredRole(routes().routes)
  expect(requiredRole('GET', `${RECORDS}/articles`)).toBe('viewer')
  expect(requiredRole('POST', `${RECORDS}/articles`)).toBe('member')
})

test('refuses to start with a route that declares no role', () => {
  const withoutRole = routes().get('/new', () => '')
  expect(() => createRequiredRole(withoutRole.routes)).toThrow(
    'GET /dashboard/api/new declares no role',
  )
})

test('requires an owner for a path that no route has', () => {
  const requiredRole = createRequiredRole(routes().routes)
  for (const path of [`${DASHBOARD_API}/unknown`, `${OPEN}/unknown`, `${DASHBOARD_API}/%ZZ`])
    expect(requiredRole('GET', path)).toBe('owner')
})

test('gives a role everything that the roles below it may do', () => {
  expect(hasRole('owner', 'viewer')).toBe(true)
  expect(hasRole('member', 'member')).toBe(true)
  expect(hasRole('member', 'owner')).toBe(false)
  expect(hasRole('viewer', 'member')).toBe(false)
})
