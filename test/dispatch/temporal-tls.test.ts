import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { connectTemporal } from '../../src/temporal/connection'
import { startArden } from '../support/arden'
import { testEnvironment } from '../support/environment'
import { createCertificateFiles } from '../support/network/certificate-files'
import { startKeyGateway, startTlsGateway } from '../support/network/temporal-gateway'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

/** TLS, client certificates and API keys towards a real Temporal behind gateways that have them. */

const KEY = 'secret-of-temporal-cloud'
const files = await createCertificateFiles()
const { path } = files
let tls: Awaited<ReturnType<typeof startTlsGateway>>
let mutual: Awaited<ReturnType<typeof startTlsGateway>>
let cloud: Awaited<ReturnType<typeof startKeyGateway>>

beforeAll(async () => {
  const { temporalAddress } = testEnvironment()
  tls = await startTlsGateway(temporalAddress, files.own)
  mutual = await startTlsGateway(temporalAddress, files.own, files.authority)
  cloud = await startKeyGateway(temporalAddress, files.own, KEY)
})
afterAll(() => {
  for (const gateway of [tls, mutual, cloud]) gateway.stop()
  files.remove()
})

const TRUST = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('root.crt') }
const CLIENT = {
  TEMPORAL_TLS_CLIENT_CERT_PATH: path('arden.crt'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: path('arden.key'),
}

/** "connected", or why not. */
const connecting = async (address: string, env: Record<string, string>): Promise<string> => {
  const config = readConfig({ TEMPORAL_ADDRESS: address, LOG_LEVEL: 'fatal', ...env })
  try {
    const { connection } = await connectTemporal(config, createLog(config))
    await connection.workflowService.getSystemInfo({})
    await connection.close()
    return 'connected'
  } catch (error) {
    return error instanceof Error ? error.message.replace(/:\d+ /, ':PORT ') : String(error)
  }
}

describe("Temporal's standard variables", () => {
  test('an authority by file, and by value', async () => {
    expect(await connecting(tls.address, TRUST)).toBe('connected')
    expect(
      await connecting(tls.address, { TEMPORAL_TLS_SERVER_CA_CERT_DATA: files.authority.cert }),
    ).toBe('connected')
  })

  test('another name of the server', async () => {
    const env = { ...TRUST, TEMPORAL_TLS_SERVER_NAME: 'server.arden.test' }
    expect(await connecting(tls.address, env)).toBe('connected')
  })

  test('a certificate of ours, by file and by value', async () => {
    expect(await connecting(mutual.address, { ...TRUST, ...CLIENT })).toBe('connected')
    const data = {
      TEMPORAL_TLS_CLIENT_CERT_DATA: files.arden.cert,
      TEMPORAL_TLS_CLIENT_KEY_DATA: files.arden.key,
    }
    expect(await connecting(mutual.address, { ...TRUST, ...data })).toBe('connected')
  })

  test('an API key, which turns TLS on', async () => {
    expect(await connecting(cloud.address, { ...TRUST, TEMPORAL_API_KEY: KEY })).toBe('connected')
    expect(cloud.authorizations.at(-1)).toBe(`Bearer ${KEY}`)
  })

  test('a profile of the configuration file', async () => {
    writeFileSync(
      path('temporal.toml'),
      `[profile.production]\naddress = "${cloud.address}"\napi_key = "${KEY}"\n[profile.production.tls]\nserver_ca_cert_path = "${path('root.crt')}"\n`,
    )
    const env = { TEMPORAL_CONFIG_FILE: path('temporal.toml'), TEMPORAL_PROFILE: 'production' }
    expect(await connecting('', env)).toBe('connected')
    expect(await connecting('', { ...env, TEMPORAL_PROFILE: 'staging' })).toBe(
      "The settings of Temporal are invalid: Profile 'staging' not found in config data. Check the TEMPORAL_* variables and the configuration file of Temporal.",
    )
  })

  test('set to nothing they say nothing', async () => {
    const nothing = { TEMPORAL_API_KEY: '', TEMPORAL_TLS: '', TEMPORAL_TLS_SERVER_CA_CERT_PATH: '' }
    expect(await connecting(testEnvironment().temporalAddress, nothing)).toBe('connected')
  })
})

describe('what keeps a connection from being trusted is one line that names the setting', () => {
  const FORGED = {
    TEMPORAL_TLS_CLIENT_CERT_PATH: path('forged.crt'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: path('forged.key'),
  }
  const MIXED = { ...CLIENT, TEMPORAL_TLS_CLIENT_KEY_PATH: path('forged.key') }
  const STRANGER = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('stranger.crt') }
  const ISSUER =
    'its certificate is not signed by a trusted authority. Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the PEM file of its authority.'
  test.each<[string, () => string, Record<string, string>, string]>([
    ['an authority that did not issue it', () => tls.address, STRANGER, ISSUER],
    ['only the authorities of the machine', () => tls.address, { TEMPORAL_TLS: '1' }, ISSUER],
    [
      'another name',
      () => tls.address,
      { ...TRUST, TEMPORAL_TLS_SERVER_NAME: 'other.arden.test' },
      'its certificate is for other names. Use one of them in TEMPORAL_ADDRESS, or set TEMPORAL_TLS_SERVER_NAME to it.',
    ],
    [
      'a key that is not that of the certificate',
      () => mutual.address,
      { ...TRUST, ...MIXED },
      'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH are not a certificate and its key, in PEM without a password.',
    ],
    [
      'TLS where there is none',
      () => testEnvironment().temporalAddress,
      TRUST,
      'it does not use TLS. Set TEMPORAL_TLS=0 and unset the other TEMPORAL_TLS_* settings (TEMPORAL_API_KEY turns TLS on), or set TEMPORAL_ADDRESS to a port with TLS.',
    ],
    [
      'another API key',
      () => cloud.address,
      { ...TRUST, TEMPORAL_API_KEY: 'wrong' },
      'it refused the credentials. Set TEMPORAL_API_KEY to a key of the namespace, and TEMPORAL_NAMESPACE to its full name.',
    ],
  ])('%s', async (_, address, env, says) => {
    expect(await connecting(address(), env)).toBe(
      `Temporal at 127.0.0.1:PORT cannot be used: ${says}`,
    )
  })

  test('no client certificate, once the end of the connection does not arrive before the refusal', async () => {
    const refused =
      'it requires a client certificate. Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.'
    const overtaken =
      'it closes the connection at once. If this persists, check whether it requires a client certificate (TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH)'
    await until('the refusal is reported', async () => {
      const says = await connecting(mutual.address, TRUST)
      if (says !== overtaken)
        expect(says).toBe(`Temporal at 127.0.0.1:PORT cannot be used: ${refused}`)
      return says !== overtaken
    })
  })

  test('errors that may be temporary are reported as well: a certificate of another host, no TLS where it is expected', async () => {
    expect(await connecting(mutual.address, { ...TRUST, ...FORGED })).toBe(
      'it closes the connection at once. If this persists, check whether it accepts the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH',
    )
    expect(await connecting(tls.address, {})).toBe(
      'it closes the connection at once. If this persists, check whether it expects TLS (TEMPORAL_TLS=1)',
    )
  })
})

test.each([
  [{ TEMPORAL_TLS: 'yes' }, 'TEMPORAL_TLS is "yes". Set it to 1, true, 0 or false.'],
  [
    { TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' },
    'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported: Arden always verifies the server. Unset it, and set TEMPORAL_TLS_SERVER_NAME to a name in the certificate and TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of its authority.',
  ],
  [
    { TEMPORAL_CONFIG_FILE: '/nowhere.toml' },
    "TEMPORAL_CONFIG_FILE is /nowhere.toml, which does not exist. Set it to Temporal's configuration file, or unset it.",
  ],
  [
    { TEMPORAL_TLS_CLIENT_CERT_PATH: '/arden.crt' },
    'TEMPORAL_TLS_CLIENT_CERT_PATH (or _DATA) is set, but not TEMPORAL_TLS_CLIENT_KEY_PATH. Set both, or neither.',
  ],
  [
    { TEMPORAL_API_KEY: 'two\nlines' },
    'TEMPORAL_API_KEY contains a space, a line break or another character that is not part of a key. Set it to the key alone.',
  ],
])('%j is refused before anything is sent', async (env, says) => {
  expect(await connecting('127.0.0.1:1', env)).toBe(says)
})

const delivers = async (settings: Record<string, string>) => {
  const receiver = startReceiver()
  const arden = await startArden({ serve: true, worker: true }, settings)
  const live = await arden.client()
  await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
  const { id: project_id } = (await live.post('/projects', { name: 'p' })).body.data
  await live.post('/articles', { project_id, title: 't' })
  await until('it is delivered', () => receiver.received.length === 1)
  await arden.stop()
  receiver.stop()
}

test('a worker delivers over TLS with certificates on both sides', async () => {
  await delivers({ TEMPORAL_ADDRESS: mutual.address, ...TRUST, ...CLIENT })
})

test('a worker delivers with an API key, which every request carries', async () => {
  const before = cloud.authorizations.length
  await delivers({ TEMPORAL_ADDRESS: cloud.address, ...TRUST, TEMPORAL_API_KEY: KEY })
  const sent = cloud.authorizations.slice(before)
  expect(sent.length).toBeGreaterThan(10)
  expect(new Set(sent)).toEqual(new Set([`Bearer ${KEY}`]))
})
