import { expect, test } from 'bun:test'
import type { Caller } from '../../caller'
import { createStreamLimit } from './limit'

const caller = (accountId: string, key: string): Caller => ({
  accountId,
  mode: 'live',
  scopes: ['read'],
  actor: { type: 'key', id: key, name: 'test' },
  address: '127.0.0.1',
})

test('permits ten streams per key and fifty per account, with any number of keys', () => {
  const take = createStreamLimit()
  const leaves = Array.from({ length: 50 }, (_, n) => take(caller('acc_1', `key_${n % 5}`)))
  expect(() => take(caller('acc_1', 'key_0'))).toThrow('key_0')
  expect(() => take(caller('acc_1', 'key_6'))).toThrow('your account')
  const leave = take(caller('acc_2', 'key_7'))
  for (let n = 0; n < 2; n++) leaves[0]?.()
  take(caller('acc_1', 'key_0'))
  expect(() => take(caller('acc_1', 'key_6'))).toThrow('your account')
  leave()
})
