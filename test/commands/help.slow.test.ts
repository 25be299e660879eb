import { expect, test } from 'bun:test'
import { runArden } from '../support/process'

test.each([
  [],
  ['dev'],
  ['serve'],
  ['worker'],
  ['migrate'],
  ['login'],
  ['mcp'],
  ['webhooks', 'create'],
  ['projects', 'delete'],
  ['keywords', 'rank'],
  ['articles', 'update'],
  ['generations', 'cancel'],
  ['keys'],
  ['keys', 'create'],
  ['keys', 'list'],
  ['keys', 'revoke'],
  ['accounts', 'create'],
  ['accounts', 'list'],
  ['accounts', 'set-plan'],
  ['accounts', 'require-sign-in'],
  ['users', 'invite'],
  ['users', 'list'],
  ['users', 'disable'],
  ['users', 'enable'],
  ['users', 'set-role'],
  ['users', 'reset-sign-in'],
])('explains itself with --help: arden %s %s', async (...command) => {
  const { code, stdout } = await runArden([...command.filter(Boolean), '--help'], {})
  expect(code).toBe(0)
  expect(stdout).toContain(`Usage: arden ${command.join(' ')}`.trim())
})
