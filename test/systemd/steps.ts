import { join } from 'node:path'
import { ROOT } from '../../build/root'
import { client } from '../support/client'
import { fencesOf } from '../support/operations/fences'
import { say } from '../support/operations/script'
import { openShell } from '../support/operations/terminals'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'
import type { BLOCKS } from './blocks'
import { inMachine } from './machine'

/** The steps of `bun run systemd`, in the network of its machine. */

/** `systemctl stop` may wait for what is in flight; TimeoutStopSec of the units. */
const STOP_LIMIT_S = 45
/** How long the receiver takes, in ms, when a worker is stopped meanwhile. */
const IN_FLIGHT_MS = 8_000
const WAIT_S = 120

const DOCUMENT = 'docs/operations.md'
const fences = fencesOf(await Bun.file(join(ROOT, DOCUMENT)).text())
const shell = openShell({
  cwd: '/',
  env: {
    HOME: '/root',
    PATH: '/opt/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LC_ALL: 'C.UTF-8',
  },
  prefix: [...inMachine(Number(process.argv[2])), '--wdns=/opt/arden'],
})

/** What stays in the foreground; its pid is in SERVE or WORKER. */
const inBackground = (command: string) => {
  const name = command.split(' ')[1] ?? ''
  return `${command.split('#')[0]} > /tmp/by-hand.log 2>&1 & ${name.toUpperCase()}=$!`
}
/** What the document names otherwise, on one machine. */
const here = (commands: string) =>
  commands
    .replaceAll(/db\.internal|10\.0\.0\.5/g, '127.0.0.1')
    .replaceAll('dist/arden', '/opt/built/arden-old')
    // Exits with 1 as long as no worker runs, as the document says.
    .replaceAll(/^arden doctor .*$/gm, 'arden doctor || true')
    .replaceAll(/^(temporal-server start|arden serve|arden worker)\b.*$/gm, inBackground)

const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const began = performance.now()
  const result = await work()
  say(`  (${what}: ${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return result
}
const type = async (commands: string) => {
  for (const line of commands.split('\n')) say(`$ ${line}`)
  const printed = await timed(commands.split(' ')[0] ?? '', () => shell.type(commands))
  for (const line of printed.trimEnd().split('\n')) say(`  ${line}`)
  return printed
}
const follow = (name: (typeof BLOCKS)[number]) => {
  const fence = fences.find(one => one.language === 'sh' && one.name === name)
  if (fence === undefined) throw new Error(`${DOCUMENT} has no block "${name}"`)
  return type(here(fence.text))
}
const check = (what: string, isTrue: boolean, found?: unknown) => {
  if (!isTrue) throw new Error(`${what}: ${JSON.stringify(found)}`)
  say(`ok  ${what}`)
}

let afterMs = 0
const receiver = startReceiver(async () => {
  await Bun.sleep(afterMs)
  return new Response('ok')
})

await type(`mkdir --parents /opt/bin
ln --symbolic /opt/built/arden-old /opt/bin/arden
ln --symbolic /opt/temporal/* /opt/temporal-cli/temporal /opt/bin/
export ADMIN_URL=postgres://postgres:admin@127.0.0.1:5432/postgres
runuser --user postgres -- psql --command="ALTER ROLE postgres PASSWORD 'admin'"`)
await follow('roles')
await follow('schema')
await follow('server')
await timed('Temporal serves', () =>
  until(
    'Temporal serves',
    () =>
      shell.type('temporal operator cluster health --address 127.0.0.1:7233').then(
        () => true,
        () => false,
      ),
    WAIT_S,
  ),
)
await follow('namespace')
await follow('by-hand')
const isReady = () =>
  fetch('http://127.0.0.1:3000/readyz').then(
    ({ ok }) => ok,
    () => false,
  )
await until('serve is ready', isReady, WAIT_S)
await type('until arden health serve && arden health worker; do sleep 1; done')
await type('kill $SERVE $WORKER; wait $SERVE && wait $WORKER; rm /opt/bin/arden; hash -r')

await follow('install')
check('systemctl returned when both are ready', await isReady())
for (const unit of ['arden-serve', 'arden-worker']) {
  const found = await shell.type(`systemd-analyze security ${unit}.service --no-pager | tail -1`)
  const [, level] = /: ([\d.]+)/.exec(found) ?? []
  check(`${unit} is exposed less than 2.0: ${level}`, Number(level) < 2, found)
}

// Webhooks of this machine.
await shell.type(
  'echo ARDEN_ALLOW_PRIVATE_WEBHOOKS=1 >> /etc/arden/arden.env; systemctl restart arden-serve arden-worker',
)
await shell.type('arden accounts create --name Acme')
const key = JSON.parse(await shell.type('arden keys create --name first --mode live --json')).key
const api = client('http://127.0.0.1:3000', key)
const webhook = await api.post('/webhooks', {
  url: `${receiver.url}/hook`,
  events: ['article.created'],
})
const project = (await api.post('/projects', { name: 'Blog' })).body.data.id
const publish = async () => {
  const before = receiver.received.length
  await api.post('/articles', { project_id: project, title: 'With systemd' })
  await timed('until the webhook arrives', () =>
    until('it arrives', () => receiver.received.length > before, WAIT_S),
  )
}
const open = async () => (await api.get('/deliveries?status=RETRYING')).body.data.length
await publish()

await type('systemctl kill --signal=SIGKILL arden-worker arden-serve')
await timed('until both are active again', () =>
  until(
    'both are active again',
    () => shell.type('systemctl is-active arden-serve arden-worker').then(isReady, () => false),
    WAIT_S,
  ),
)
await publish()

afterMs = IN_FLIGHT_MS
await publish()
const stopping = performance.now()
await type('systemctl stop arden-worker')
const seconds = (performance.now() - stopping) / 1000
check(`a stop waits for the attempt in flight: ${seconds.toFixed(1)} s`, seconds < STOP_LIMIT_S)
check(
  'its unit did not fail',
  (await shell.type('systemctl show --property=Result --value arden-worker')).trim() === 'success',
)
check('the attempt was recorded', (await open()) === 0)
afterMs = 0
await type('systemctl start arden-worker')

for (const version of ['new', 'old']) {
  await type(`install -m 0755 /opt/built/arden-${version} /usr/local/bin/arden
arden migrate
systemctl restart arden-serve arden-worker
arden version`)
  await publish()
}
const lines = (await shell.type('journalctl -u arden-worker -o cat')).trim().split('\n')
const logged = lines.filter(line => line.startsWith('{'))
check(`the journal has the log in JSON: ${logged.length} lines`, logged.length > 3)
for (const line of logged) JSON.parse(line)
check('no delivery is open', (await open()) === 0)
check(
  'no request came twice but those of a kill',
  receiver.received.length <= 6,
  receiver.received.length,
)
check('the webhook works', webhook.status === 201)
process.exit(0)
