import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pkg from '../../package.json'
import { settings } from '../../src/config'
import tsconfig from '../../tsconfig.json'
import {
  commandOf,
  compose,
  composeText,
  environmentOf,
  service,
} from '../support/operations/compose'
import { runArden } from '../support/process'

/**
 * What can be wrong without a Docker engine. rolling.slow.test.ts runs what the file says by hand, and `bun run docker`
 * runs the file itself.
 */
const root = join(import.meta.dir, '../..')
const BINARY = '/usr/local/bin/arden'
const OURS = ['migrate', 'serve', 'worker']

/** Settings that `.env` must have. */
const SECRETS = {
  POSTGRES_PASSWORD: 'a',
  POSTGRES_ARDEN_PASSWORD: 'b',
  POSTGRES_TEMPORAL_PASSWORD: 'c',
  ARDEN_ENCRYPTION_KEY: 'd',
}

const services = Object.entries(compose.services)
const dockerfile = await Bun.file(join(root, 'Dockerfile')).text()
const instruction = (name: string) =>
  dockerfile.match(new RegExp(`^${name} (.+)$`, 'gm'))?.map(line => line.slice(name.length + 1)) ??
  []

test('docker-compose.yml runs PostgreSQL, Temporal, its UI, serve and two workers', () => {
  for (const name of ['postgres', 'temporal', 'temporal-ui', 'serve', 'worker'])
    expect(service(name).restart, name).toBe('unless-stopped')
  expect(service('worker').deploy?.replicas).toBe(2)
})

/** The end of an image's name: an exact version, and its digest if there is one. */
const PINNED = /:v?\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/

test('every image is pinned, and those that belong together have one version', () => {
  for (const [name, { image }] of services) expect(image, name).toMatch(PINNED)
  for (const name of OURS) expect(service(name).image, name).toBe(`arden:${pkg.version}`)
  const version = (name: string) => service(name).image.split(/[:@]/)[1]
  expect(version('temporal-schema')).toBe(version('temporal'))
  expect(version('temporal-namespace')).toBe(version('temporal'))
})

test('the image is built with the Bun of the tests, labelled with the version, and run as no root', () => {
  expect(instruction('FROM')[0]).toBe(`oven/bun:${Bun.version}-debian AS build`)
  expect(dockerfile).toContain(`org.opencontainers.image.version="${pkg.version}"`)
  expect(instruction('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
  expect(instruction('STOPSIGNAL')).toEqual(['SIGTERM'])
  expect(JSON.parse(instruction('ENTRYPOINT')[0] ?? '')).toEqual([BINARY])
})

test('the commit that is built reaches the build, when it is set', () => {
  const [name = ''] = instruction('ARG')
  for (const ours of OURS)
    expect(service(ours).build).toEqual({ context: '.', args: { [name]: `\${${name}:-}` } })
})

test('the image has the libraries that the binary needs', async () => {
  if (process.platform !== 'linux' || Bun.which('ldd') === null) return
  // Those of distroless/cc: libc6, libgcc-s1, libstdc++6.
  const there =
    /^(linux-vdso|\/lib64\/ld-linux|\/lib\/ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so)/
  const native = `node_modules/@temporalio/core-bridge/releases/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-gnu/index.node`
  for (const file of [process.execPath, join(root, native)]) {
    const needed = (await Bun.$`ldd ${file}`.text())
      .trim()
      .split('\n')
      .map(line => line.trim())
    expect(needed.length).toBeGreaterThan(3)
    for (const library of needed) expect(library, file).toMatch(there)
  }
})

test('what the build reads is not kept from it, and nothing else goes in', async () => {
  const lines = (await Bun.file(join(root, '.dockerignore')).text()).split('\n')
  const patterns = lines.filter(line => line !== '' && !line.startsWith('#'))
  expect(patterns[0]).toBe('*')
  for (const pattern of patterns.slice(1)) {
    expect(pattern).toStartWith('!')
    expect(existsSync(join(root, pattern.slice(1))), pattern).toBe(true)
  }
  const copied = instruction('COPY')[0]?.split(' ').slice(0, -1) ?? []
  for (const file of copied) expect(patterns).toContain(`!${file}`)
})

test('every file that the program and its build import is in the image’s build', async () => {
  const patterns = (await Bun.file(join(root, '.dockerignore')).text()).match(/(?<=^!).+/gm) ?? []
  const aliases: Record<string, string[] | undefined> = tsconfig.compilerOptions.paths
  const missing = new Set<string>()
  let imports = 0
  for await (const file of new Bun.Glob('{src,workflows,activities,build}/**/*.{ts,tsx}').scan(
    root,
  )) {
    if (file.endsWith('.test.ts')) continue
    const text = await Bun.file(join(root, file)).text()
    for (const [, name = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)) {
      const path = name.startsWith('.') ? join(dirname(file), name) : aliases[name]?.[0]
      if (path === undefined) continue
      imports++
      const inside = (pattern: string) => `${join(path)}/`.startsWith(`${pattern}/`)
      if (!patterns.some(inside)) missing.add(`${file} imports ${path}`)
    }
  }
  expect(imports).toBeGreaterThan(1000)
  expect([...missing]).toEqual([])
})

test('the build pulls no image that has no exact version', () => {
  // `# syntax=docker/dockerfile:1` would pull the newest builder of the moment.
  expect(dockerfile).not.toMatch(/^# *syntax=/m)
})

test('every service that another waits for exists, and is healthy or completes as it is waited for', () => {
  for (const [name, { depends_on = {} }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      if (condition === 'service_healthy')
        expect(service(other).healthcheck, `${name} waits for ${other}`).toBeDefined()
      else expect(service(other).restart, other).toStartWith('on-failure')
    }
  }
})

test('services that drain have the time for it', () => {
  for (const name of ['postgres', 'temporal', 'serve', 'worker'])
    expect(Number.parseInt(service(name).stop_grace_period ?? '', 10), name).toBeGreaterThan(39)
})

/** Settings that OpenTelemetry's exporter reads by itself (docs/operations.md, "Traces"). */
const EXPORTER = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES']

test('every setting that is passed to Arden is one that it has', () => {
  for (const name of OURS)
    for (const setting of Object.keys(service(name).environment ?? {}))
      expect([...Object.keys(settings), ...EXPORTER], `${setting} of ${name}`).toContain(setting)
})

test('every setting of Arden can be set in `.env`, but for those that the file itself decides', () => {
  const decided = [
    'ARDEN_DATA_DIR', // of `dev` only
    'ARDEN_TASK_QUEUE',
    'ARDEN_WORKFLOW_BUNDLE',
    'ARDEN_METRICS_PORT',
    'HOST',
    'PORT',
    // The database and Temporal are services of the file.
    'DATABASE_URL',
    ...Object.keys(settings).filter(name => name.startsWith('PGSSL')),
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
  ]
  const passed = Object.entries({
    ...service('serve').environment,
    ...service('worker').environment,
  })
  const settable = passed.filter(([name, value]) => value.startsWith(`\${${name}:`))
  const ours = Object.keys(settings).filter(name => !decided.includes(name))
  expect(settable.map(([name]) => name)).toEqual(expect.arrayContaining([...ours, ...EXPORTER]))
})

test('every command of Arden is one that it knows, those of the health checks too', async () => {
  const checks = [service('serve'), service('worker')].map(({ healthcheck }) => healthcheck?.test)
  checks.push(['CMD', ...JSON.parse(instruction('HEALTHCHECK')[0]?.split(' CMD ')[1] ?? '')])
  for (const check of checks) expect(check?.slice(0, 2)).toEqual(['CMD', BINARY])
  const commands = [
    ...OURS.map(name => commandOf(name, {})),
    ...checks.map(check => check?.slice(2) ?? []),
    JSON.parse(instruction('CMD')[0] ?? ''),
  ]
  for (const words of commands) {
    const isOption = (word: string) => word.startsWith('--')
    const { stdout, code } = await runArden([...words, '--help'], {})
    expect(stdout).toStartWith(
      `Usage: arden ${words.filter((word: string) => !isOption(word)).join(' ')} [options]`,
    )
    for (const option of words.filter(isOption)) expect(stdout).toContain(` ${option} `)
    expect(code).toBe(0)
  }
})

test('every file, volume and config that is mounted exists', () => {
  for (const [name, { volumes = [], configs = [] }] of services) {
    for (const volume of volumes) {
      const source = volume.split(':')[0] ?? ''
      const exists = source.startsWith('./')
        ? existsSync(join(root, source))
        : source in compose.volumes || source === '/'
      expect(exists, `${volume} of ${name}`).toBe(true)
    }
    for (const { source } of configs) expect(Object.keys(compose.configs), name).toContain(source)
  }
})

test('docs/operations.md has the same commands for an installation by hand', async () => {
  const documented = await Bun.file(join(root, 'docs', 'operations.md')).text()
  for (const name of ['temporal-schema', 'temporal-namespace']) {
    const script = commandOf(name, {}).at(-1) ?? ''
    expect(documented, name).toContain(script.trim())
  }
  expect(documented).toContain(compose.configs['temporal-dynamic-config']?.content.trim() ?? '')
  const temporal = environmentOf('temporal', { POSTGRES_TEMPORAL_PASSWORD: 'a' })
  const { NUM_HISTORY_SHARDS, DB, POSTGRES_USER } = temporal
  expect(documented).toContain(` POSTGRES_USER=${POSTGRES_USER} `)
  expect(documented).toContain(`NUM_HISTORY_SHARDS=${NUM_HISTORY_SHARDS} `)
  expect(documented).toContain(`DB=${DB} `)
  const version = service('temporal').image.split(/[:@]/)[1]
  expect(documented).toContain(`go.temporal.io/server/cmd/server@v${version}`)
})

test('secrets come from the environment, and a missing one is named', () => {
  for (const name of Object.keys(SECRETS)) expect(composeText).toContain(`\${${name}:?set it`)
  expect(() => environmentOf('serve', { POSTGRES_ARDEN_PASSWORD: 'a' })).toThrow(
    'ARDEN_ENCRYPTION_KEY',
  )
})

test('Arden and Temporal have a role each, and only PostgreSQL has the password of the superuser', () => {
  for (const name of OURS)
    expect(environmentOf(name, SECRETS).DATABASE_URL, name).toBe(
      'postgres://arden:b@postgres:5432/arden',
    )
  const schema = environmentOf('temporal-schema', SECRETS)
  const temporal = environmentOf('temporal', SECRETS)
  expect([schema.SQL_USER, schema.SQL_PASSWORD]).toEqual(['temporal', 'c'])
  expect([temporal.POSTGRES_USER, temporal.POSTGRES_PWD]).toEqual(['temporal', 'c'])
  for (const [name, { environment = {} }] of services)
    expect(
      Object.values(environment).some(value => value.includes('${POSTGRES_PASSWORD')),
      name,
    ).toBe(name === 'postgres')
})

test('the logs of each container have a maximum size', () => {
  for (const [name, { logging }] of services)
    expect(logging?.options['max-size'], name).toMatch(/^\d+m$/)
})

test('ports are published on loopback, but for those of the TLS proxy, and that of the API when it is set', () => {
  const published = services.flatMap(([name, { ports = [] }]) => ports.map(port => [name, port]))
  expect(published.filter(([, port]) => !port?.startsWith('127.0.0.1:'))).toEqual([
    ['serve', `\${PUBLISH_ADDRESS:-127.0.0.1}:3000:3000`],
    ['proxy', '80:80'],
    ['proxy', '443:443'],
  ])
})

test('the TLS proxy does not start without a name', () => {
  const [shell = '', ...words] = commandOf('proxy', {})
  const run = (value: string) =>
    Bun.spawnSync([shell, ...words], { env: { PATH: '', ARDEN_DOMAIN: value } })
  expect(environmentOf('proxy', {}).ARDEN_DOMAIN).toBe('')
  expect(run('').stderr.toString()).toContain('Set ARDEN_DOMAIN to the name that clients use')
  // The image's own program is missing here, and is the next thing that runs.
  expect(run('a').stderr.toString()).toContain('caddy')
})

test('Grafana does not start without a password', async () => {
  const [shell = '', ...words] = commandOf('grafana', {})
  const run = (value: string) =>
    Bun.spawnSync([shell, ...words], {
      env: { PATH: '', GF_SECURITY_ADMIN_PASSWORD: value },
    })
  expect(environmentOf('grafana', {}).GF_SECURITY_ADMIN_PASSWORD).toBe('')
  expect(run('').stderr.toString()).toContain('Set GRAFANA_PASSWORD to a password of your own.')
  // The image's own program is missing here, and is the next thing that runs.
  expect(run('a').stderr.toString()).toContain('/run.sh')
})

const hasCompose =
  Bun.which('docker') !== null && Bun.spawnSync(['docker', 'compose', 'version']).success
if (!hasCompose)
  process.stderr.write(
    'test/operations/compose.test.ts: Not run: `docker compose config`, for the Docker Compose plugin is not installed.\n',
  )
test.skipIf(!hasCompose)('Docker Compose itself accepts the file, all profiles', async () => {
  const config = (variables: Record<string, string>) =>
    Bun.spawnSync(['docker', 'compose', '--profile', '*', 'config', '--quiet'], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...variables },
    })
  const good = config(SECRETS)
  expect(good.stderr.toString()).toBe('')
  expect(good.success).toBe(true)
  const bad = config({ ...SECRETS, ARDEN_ENCRYPTION_KEY: '' })
  expect(bad.stderr.toString()).toContain('ARDEN_ENCRYPTION_KEY')
  expect(bad.success).toBe(false)
})
