import { test } from 'bun:test'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { installFromPyPI } from '../support/tools/python'
import { run } from '../support/tools/run'

/** Without a worker, so that nothing is sent to the addresses of webhooks. */
const arden = await useArden({ serve: true }, { ARDEN_ALLOW_PRIVATE_WEBHOOKS: '0' })
const schemathesis = await installFromPyPI('schemathesis==4.32.5')
if ('missing' in schemathesis)
  process.stderr.write(`test/http/schemathesis.slow.test.ts: ${schemathesis.missing}\n`)

test.skipIf('missing' in schemathesis)(
  'schemathesis finds no response that the document does not describe, to valid and to invalid requests',
  async () => {
    if ('missing' in schemathesis) return
    const key = await arden.key()
    const as = client(arden.url, key.key)
    const project = (await as.post('/projects', { name: 'p' })).body.data.id
    const keyword = (await as.post(`/projects/${project}/keywords`, { keyword: 'k' })).body.data.id
    const article = (await as.post('/articles', { project_id: project, title: 't' })).body.data.id
    const records = { project, keyword, article, caller: key.id }
    // A copy, because it leaves a cache in its folder.
    const folder = await mkdtemp(join(tmpdir(), 'arden-schemathesis-'))
    await cp(join(import.meta.dir, 'schemathesis'), folder, { recursive: true })
    const installed = schemathesis.folder
    await run(
      [
        'python3',
        join(installed, 'bin/st'),
        ...['--config-file', 'schemathesis.toml', 'run', `${arden.url}/openapi.json`],
        ...['--header', `Authorization: Bearer ${key.key}`, '--no-color', '--seed', '1'],
      ],
      {
        cwd: folder,
        env: { PYTHONPATH: installed, ARDEN_RECORDS: JSON.stringify(records) },
      },
    )
  },
  600_000,
)
