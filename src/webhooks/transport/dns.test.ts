import { afterAll, expect, test } from 'bun:test'
import dns from 'node:dns'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNameServer } from '../../../test/support/network/name-server'
import { settled } from '../../../test/support/settled'
import { until } from '../../../test/support/until'
import { resolveAddress } from './address'
import { createLookup } from './dns'

/** As many as a response over TCP has space for. */
const many = Array.from({ length: 4_000 }, (_, n) => `93.${n >> 8}.${n & 255}.1`)
const { queried, stop } = await startNameServer((name, type) => {
  if (name.startsWith('silent') || (name.startsWith('half') && type === 'AAAA')) return 'silent'
  if (name.startsWith('failing')) return 'failing'
  if (name.startsWith('none')) return []
  return name.startsWith('many') ? many : ['93.184.215.14']
})
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
  expect(await settled(resolving)).toThrow('aborted')
})

test('reads the configuration again when no server responds, and queries the servers in it', async () => {
  const file = join(tmpdir(), `resolv-${crypto.randomUUID()}`)
  const lookup = createLookup(file)
  const [working = ''] = dns.getServers()
  try {
    await Bun.write(file, 'nameserver 127.0.0.1:9\n')
    dns.setServers(['127.0.0.1:9'])
    expect(await settled(lookup('good.example'))).toThrow('ECONNREFUSED')
    await Bun.write(file, `search example\nnameserver ${working}\n`)
    expect(await settled(lookup('good.example'))).toThrow('ECONNREFUSED')
    expect(await lookup('good.example')).toMatchObject([{ address: '93.184.215.14' }])
  } finally {
    dns.setServers([working])
    await rm(file)
  }
})

const withFiles = async (
  files: { configuration?: string; hosts?: string },
  work: (lookup: ReturnType<typeof createLookup>) => Promise<void>,
) => {
  const folder = await mkdtemp(join(tmpdir(), 'dns-'))
  try {
    const paths = { configuration: join(folder, 'resolv.conf'), hosts: join(folder, 'hosts') }
    await Bun.write(paths.configuration, files.configuration ?? '')
    await Bun.write(paths.hosts, files.hosts ?? '')
    await work(createLookup(paths.configuration, paths.hosts))
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('localhost and the names of the hosts file are not queried', async () => {
  await withFiles({ hosts: `127.0.0.1 ${hostname()} # none.example` }, async lookup => {
    const before = queried.length
    for (const name of ['localhost', 'localhost.', 'foo.localhost'])
      for (const { address } of await lookup(name)) expect(['127.0.0.1', '::1']).toContain(address)
    expect(queried.slice(before)).toEqual([])
    // A fully qualified name is not in it: a tenant's host name must not be completed by this machine.
    const address = { address: '93.184.215.14', family: 4 }
    expect(await lookup(`${hostname()}.`)).toEqual([address])
    expect(queried.splice(before)).toEqual([hostname(), hostname()])
    expect(await settled(lookup('none.example'))).toThrow('ENOTFOUND')
    expect(queried.slice(before)).toEqual(['none.example', 'none.example'])
  })
})

test('a name that is not found is queried with the domains of the search list', async () => {
  const queriedBy = async (configuration: string, name: string) => {
    const before = queried.length
    await withFiles({ configuration }, async lookup => void (await lookup(name).catch(() => {})))
    return [...new Set(queried.slice(before))]
  }
  expect(await queriedBy('search none.a b.example\n', 'none-such')).toEqual([
    'none-such.none.a',
    'none-such.b.example',
    'none-such',
  ])
  expect(await queriedBy('search a.example\n', 'good.svc')).toEqual(['good.svc'])
  expect(await queriedBy('search a.example\noptions ndots:5 edns0\n', 'good.svc')).toEqual([
    'good.svc.a.example',
  ])
  expect(await queriedBy('search a.example\n', 'none-dot.example.')).toEqual(['none-dot.example'])
})

test('a name server that does not respond for one family delays a lookup by 2 s', async () => {
  const began = performance.now()
  expect(await createLookup()('half.example')).toEqual([{ address: '93.184.215.14', family: 4 }])
  // The resolver waits for 25 s.
  expect(performance.now() - began).toBeLessThan(15_000)
})

test('a lookup of 4,000 addresses takes less CPU than one that sorts them', async () => {
  const cpuOf = async (lookup: (name: string) => Promise<unknown[]>) => {
    const before = process.threadCpuUsage()
    for (let n = 0; n < 3; n++) expect(await lookup('many.example')).toHaveLength(4_000)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  const lookup = createLookup()
  const ratios: number[] = []
  while (ratios.length < 5 && !ratios.some(ratio => ratio < 0.8))
    ratios.push((await cpuOf(lookup)) / (await cpuOf(Bun.dns.lookup)))
  expect(Math.min(...ratios)).toBeLessThan(0.8)
})
