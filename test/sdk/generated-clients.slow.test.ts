import { afterAll, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { installFromPyPI } from '../support/tools/python'
import { run } from '../support/tools/run'

/** Clients for other languages, generated from the OpenAPI document by tools that others maintain. */
const arden = await useArden({ serve: true })
const folder = await mkdtemp(join(tmpdir(), 'arden-clients-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const document = join(folder, 'openapi.json')
await Bun.write(document, await fetch(`${arden.url}/openapi.json`))
/** The server as a later version of it: records have a member that the clients do not know. */
const later = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async request => {
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    const body = method === 'GET' ? null : await request.text()
    const response = await fetch(`${arden.url}${pathname}${search}`, { method, headers, body })
    if (!response.headers.get('content-type')?.includes('json')) return response
    const { data, ...rest } = Object(await response.json())
    const add = (record: object) => ({ ...record, added_later: true })
    return Response.json(
      { data: Array.isArray(data) ? data.map(add) : add(data), ...rest },
      { status: response.status },
    )
  },
})
afterAll(() => later.stop(true))
const env = { ARDEN_URL: later.url.origin, ARDEN_API_KEY: (await arden.key()).key }
const programOf = (file: string) => join(import.meta.dir, 'generated-clients', file)

const [python, openapiGenerator, ...libraries] = await Promise.all([
  installFromPyPI('openapi-python-client==0.29.1'),
  installFromPyPI('openapi-generator-cli==7.26.0'),
  // What its clients for Python import.
  installFromPyPI('pydantic==2.14.4'),
  installFromPyPI('python-dateutil==4.0.0'),
  installFromPyPI('urllib3==2.8.0'),
])
for (const tool of [python, openapiGenerator, ...libraries])
  if ('missing' in tool)
    process.stderr.write(`test/sdk/generated-clients.slow.test.ts: ${tool.missing}\n`)

const hasJava = Bun.which('java') !== null
/** The command that generates a client for `language` into `output`. */
const generator = (language: string, output: string): string[] => [
  ...['java', '-jar'],
  'missing' in openapiGenerator
    ? ''
    : join(openapiGenerator.folder, 'openapi_generator_cli/openapi-generator.jar'),
  ...['generate', '--generator-name', language, '--input-spec', document, '--output', output],
]

/** Members and event types that were added later are no error (docs/api.md). */
const TOLERANT = 'disallowAdditionalPropertiesIfNotPresent=false,enumUnknownDefaultCase=true'

describe('a client that is generated from the document makes a call', () => {
  test.skipIf('missing' in python)('in Python, by openapi-python-client', async () => {
    if ('missing' in python) return
    const tool = join(python.folder, 'bin/openapi-python-client')
    const output = join(folder, 'arden_api')
    // It formats what it generates with ruff, which is installed with it.
    const path = {
      PYTHONPATH: `${python.folder}:${folder}`,
      PATH: `${join(python.folder, 'bin')}:${process.env.PATH}`,
    }
    // Without them it makes no method for the ZIP, and those for one article raise (docs/api.md).
    const config = join(folder, 'config.json')
    const content_type_overrides = Object.fromEntries(
      ['application/zip', 'text/html', 'text/markdown'].map(type => [
        type,
        'application/octet-stream',
      ]),
    )
    await Bun.write(config, JSON.stringify({ content_type_overrides }))
    await run(
      [
        ...['python3', tool, 'generate', '--meta', 'none', '--fail-on-warning'],
        ...['--config', config],
        ...['--path', document, '--output-path', output],
      ],
      { cwd: folder, env: path },
    )
    const printed = await run(['python3', programOf('main.py')], { env: { ...env, ...path } })
    expect(printed).toMatch(/^prj_\w{26} From Python\n# Tea <!doctype html> PK\n$/)
  })

  test.skipIf([openapiGenerator, ...libraries].some(one => 'missing' in one) || !hasJava)(
    'in Python, by OpenAPI Generator: records, times, a ZIP, events, and a deletion',
    async () => {
      const output = join(folder, 'python')
      await run([
        ...generator('python', output),
        ...['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'],
      ])
      const paths = libraries.map(one => ('missing' in one ? '' : one.folder))
      const path = { PYTHONPATH: [output, ...paths].join(':') }
      const program = ['python3', programOf('openapi_generator.py')]
      const printed = await run(program, { env: { ...env, ...path, PATH: process.env.PATH ?? '' } })
      expect(printed).toBe(' led article.created PK True\n')
    },
    300_000,
  )

  test.skipIf('missing' in openapiGenerator || !hasJava || Bun.which('go') === null)(
    'in Go, by OpenAPI Generator',
    async () => {
      const output = join(folder, 'go')
      await run([
        ...generator('go', output),
        ...['--git-host', 'example.com', '--git-user-id', 'arden', '--git-repo-id', 'client'],
        ...['--global-property', 'apiTests=false,modelTests=false'],
        `--additional-properties=packageName=arden,enumClassPrefix=true,${TOLERANT}`,
      ])
      await cp(programOf('main.go'), join(output, 'call/main.go'))
      await run(['go', 'mod', 'tidy'], { cwd: output })
      const printed = await run(['go', 'run', './call'], { cwd: output, env })
      expect(printed).toMatch(/^prj_\w{26} From Go true\n$/)
    },
    300_000,
  )

  test.skipIf('missing' in openapiGenerator || !hasJava)(
    'in Java, by OpenAPI Generator, which refuses nothing that was added later, and sends no list that was not set',
    async () => {
      const output = join(folder, 'java')
      await run([
        ...generator('java', output),
        `--additional-properties=containerDefaultToNull=true,${TOLERANT}`,
      ])
      const [project, type, ...inputs] = await Promise.all(
        ['Project', 'EventType', 'KeywordChanges', 'WebhookChanges', 'OutlineApproval'].map(
          async name => {
            const [file = ''] = await Array.fromAsync(new Bun.Glob(`**/${name}.java`).scan(output))
            return Bun.file(join(output, file)).text()
          },
        ),
      )
      expect(project).toContain('class Project')
      expect(project).not.toContain('is not defined in')
      expect(type).toContain('return UNKNOWN_DEFAULT_OPEN_API')
      const lists = inputs.flatMap(input => input.match(/private (?:List|Set|Map)<.*;/g) ?? [])
      expect(lists.map(list => list.replace(/^.* /, '')).sort()).toEqual([
        'events;',
        'headers;',
        'outline;',
        'tags;',
      ])
    },
    300_000,
  )
})
