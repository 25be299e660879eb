import { afterAll, expect, test } from 'bun:test'
import dns from 'node:dns'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNameServer } from '../../../test/support/network/name-server'
import { until } from '../../../test/support/until'
import { resolveAddress } from './address'
import { createLookup } from './dns'

const { queried, stop } = await startNameServer(name =>
  name.startsWith('silent') ? 'silent' : name.startsWith('failing') ? 'failing' : ['93.184.215.14'],
)
afterAll(stop)

const resolve = (name: string, signal: AbortSignal) =>
  resolveAddress(new URL(`https://${name}/`), { allowPrivate: false }, { signal })
const queryCount = (start: string) => queried.filter(name => name.startsWith(start)).length

test('names whose servers do not respond delay no other lookup', async () => {
  const lookup = createLookup()
  let ended = 0
  const end = () => {
    ended++
  }
  for (let n = 0; n < 100; n++) lookup(`silent${n}.example`).then(end, end)
  await until('they are queried', () => queryCount('silent') >= 100)
  expect(await lookup('good.example')).toMatchObject([{ address: '93.184.215.14' }])
  // The four threads of node:dns look up the others first, for 20 s.
  expect(ended).toBeLessThan(50)
})

test('repeats a lookup whose servers fail, until the caller aborts', async () => {
  const end = new AbortController()
  const resolving = resolve('failing.example', end.signal)
  // One query for IPv4 and one for IPv6 each time.
  await until('it is queried again', () => queryCount('failing') > 2)
  end.abort()
  await expect(resolving).rejects.toThrow('aborted')
})

test('reads the configuration again when no server responds, and queries the servers in it', async () => {
  const file = join(tmpdir(), `resolv-${crypto.randomUUID()}`)
  const lookup = createLookup(file)
  const [working = ''] = dns.getServers()
  try {
    await Bun.write(file, 'nameserver 127.0.0.1:9\n')
    dns.setServers(['127.0.0.1:9'])
    await expect(lookup('good.example')).rejects.toThrow('ECONNREFUSED')
    await Bun.write(file, `search example\nnameserver ${working}\n`)
    await expect(lookup('good.example')).rejects.toThrow('ECONNREFUSED')
    expect(await lookup('good.example')).toMatchObject([{ address: '93.184.215.14' }])
  } finally {
    dns.setServers([working])
    await rm(file)
  }
})
