import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../src/config'

/** There is no Docker engine where the tests run, so this checks what can be wrong without one. */
const root = join(import.meta.dir, '..')

type Service = {
  image: string
  command?: string | string[]
  environment?: Record<string, string>
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
  restart?: string
  healthcheck?: { test: string[] }
  configs?: { source: string }[]
}
type Compose = {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  configs: Record<string, unknown>
}

const text = await Bun.file(join(root, 'docker-compose.yml')).text()
// The file is ours; what the tests below read of it is what they check.
const compose = Bun.YAML.parse(text) as Compose
const services = Object.entries(compose.services)
const ours = services.filter(([, { image }]) => image.startsWith('oven/bun'))

test('docker-compose.yml runs PostgreSQL, Temporal, its UI, serve and worker', () => {
  for (const name of ['postgres', 'temporal', 'temporal-ui', 'serve', 'worker'])
    expect(compose.services[name]?.restart, name).toBe('unless-stopped')
})

test('every image is pinned, Bun to the version of the README', async () => {
  for (const [name, { image }] of services) expect(image, name).toMatch(/:\d+\.\d+/)
  for (const [name, { image }] of ours) expect(image, name).toBe(`oven/bun:${Bun.version}`)
})

test('every service that another waits for exists, and is healthy or completes as it is waited for', () => {
  for (const [name, { depends_on = {} }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const service = compose.services[other]
      expect(service, `${name} waits for ${other}`).toBeDefined()
      if (condition === 'service_healthy') expect(service?.healthcheck, other).toBeDefined()
      else expect(service?.restart ?? 'no', other).not.toBe('unless-stopped')
    }
  }
})

test('every setting that is passed to Arden is one that it has', () => {
  const known = Object.keys(settings)
  for (const [name, { environment = {} }] of ours)
    for (const setting of Object.keys(environment))
      expect(known, `${setting} of ${name}`).toContain(setting)
})

test('every command of Arden is one that it knows', async () => {
  for (const [name, { command }] of ours) {
    const [, script, ...words] = String(command).split(' ')
    if (script === 'install') continue
    const help = Bun.spawn([process.execPath, join(root, String(script)), ...words, '--help'], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect(await help.stdout.text(), name).toStartWith(`Usage: arden ${words.join(' ')}`)
    expect(await help.exited, name).toBe(0)
  }
})

test('every file, volume and config that is mounted exists', () => {
  for (const [name, { volumes = [], configs = [] }] of services) {
    for (const volume of volumes) {
      const source = volume.split(':')[0] ?? ''
      const exists = source.startsWith('./')
        ? existsSync(join(root, source))
        : source in compose.volumes
      expect(exists, `${volume} of ${name}`).toBe(true)
    }
    for (const { source } of configs) expect(Object.keys(compose.configs), name).toContain(source)
  }
})

test('secrets come from the environment, and a missing one is named', () => {
  for (const name of ['POSTGRES_PASSWORD', 'ARDEN_ENCRYPTION_KEY'])
    expect(text).toContain(`\${${name}:?set it`)
})
