import { join } from 'node:path'
import pkg from '../../../package.json'
import { migrations } from '../../../src/db/migrations'
import { type CheckedLoad, startCheckedLoad } from '../../faults/checked-load'
import { createRandom } from '../../faults/random'
import { startReceivers } from '../../faults/receivers'
import { until } from '../../support/until'
import type { Check } from '../check'
import { type Operator, ready } from '../operator'
import { watchOutage } from '../outage'

/** The load, for a machine with two cores that builds an image meanwhile. */
const [CALLERS, EVENTS_PER_SECOND] = [4, 5]
/** Events before, between and after the two changes of the version. */
const BETWEEN = 40
const LOAD_S = 300

const NEXT = pkg.version.replace(/\d+$/, patch => String(Number(patch) + 1))
const MIGRATIONS = 'src/db/migrations'
const NAME = `${String(migrations.length + 1).padStart(3, '0')}_next_version`

/** The next version: another number, and one migration more. */
const releaseNext = async ({ dir, run }: Operator) => {
  const change = async (file: string, pattern: string, replacement: string) => {
    const text = await Bun.file(join(dir, file)).text()
    if (!text.includes(pattern)) throw new Error(`${file} has no ${pattern}`)
    await Bun.write(join(dir, file), text.replace(pattern, replacement))
  }
  await change('package.json', `"version": "${pkg.version}"`, `"version": "${NEXT}"`)
  await change('docker-compose.yml', `image: arden:${pkg.version}`, `image: arden:${NEXT}`)
  await change(
    `${MIGRATIONS}/index.ts`,
    'export type',
    `import next from './${NAME}.sql' with { type: 'text' }\n\nexport type`,
  )
  await change(`${MIGRATIONS}/index.ts`, 'baseline]].map', `baseline], ['${NAME}', next]].map`)
  const sql = 'CREATE TABLE next_version (id bigint PRIMARY KEY);\n'
  await Bun.write(join(dir, MIGRATIONS, `${NAME}.sql`), sql)
  await run(
    `git add --all && git -c user.name=check -c user.email=check@localhost commit --quiet --message=${NEXT}`,
  )
}

const expectVersion = async ({ operator, say }: Check, version: string) => {
  const printed = (await operator.run('docker compose exec serve arden version')).trim()
  if (!printed.includes(version)) throw new Error(`arden version is "${printed}", not ${version}.`)
  say(printed)
}

/**
 * An upgrade to a version with another schema, and the way back, while articles change. Every promise that a fault can
 * break is checked at the end; nothing may be sent twice, because every process had the time to finish.
 */
export const upgradeAndBack = async (check: Check): Promise<void> => {
  const { operator, url, machine, say } = check
  const { run } = operator
  const receivers = startReceivers(createRandom(1), ['fast', 'slow', 'recovers'], machine)
  let running: CheckedLoad | undefined
  try {
    running = await startCheckedLoad({
      url,
      // In test mode, so that the check of all deliveries sees those of this load only.
      key: JSON.parse(await run(KEY)).key,
      receivers,
      random: createRandom(2),
      callers: CALLERS,
      perSecond: EVENTS_PER_SECOND,
    })
    const { load, disturbances } = running
    const more = async (what: string) => {
      const target = load.expected.length + BETWEEN
      await until(`the load goes on ${what}`, () => load.expected.length >= target, LOAD_S)
    }
    const changeVersion = async (name: string, version: string) => {
      const disturbance = { name, at: performance.now(), until: Number.POSITIVE_INFINITY }
      disturbances.push({ ...disturbance, repeatsUntil: Number.NEGATIVE_INFINITY })
      const change = disturbances.at(-1)
      const outage = watchOutage(url)
      for (const command of CHANGE) await run(command)
      await ready(operator)
      say(`${name}: serve did not respond for ${(await outage.end()).toFixed(1)} s`)
      if (change !== undefined) change.until = performance.now()
      await expectVersion(check, version)
    }

    await more('before the upgrade')
    await releaseNext(operator)
    await changeVersion('upgrade', NEXT)
    await more('after the upgrade')
    await run('git checkout --quiet HEAD~1')
    await changeVersion('rollback', pkg.version)
    await more('after the rollback')
    const { verdicts } = await running.finish(say)
    const broken = verdicts.flatMap(one => one.broken)
    if (broken.length > 0) throw new Error(`Broken:\n${broken.join('\n')}`)
    say(
      `${load.expected.length} events of ${load.changes} changes, ${receivers.arrivals.length} requests: none lost, none sent twice`,
    )
    say(`${load.uncertain} changes without a response, while serve was replaced`)
  } finally {
    running?.stop()
    receivers.stop()
  }
}

const KEY =
  'docker compose exec serve arden keys create --name load --mode test --rate-limit 100000 --json'
/** docs/operations.md, "Upgrade with Docker Compose": there, and back. */
const CHANGE = [
  'ARDEN_COMMIT=$(git describe --always --dirty) docker compose build',
  'docker compose run --rm migrate',
  'docker compose up --detach --wait --no-deps serve',
  'docker compose up --detach --wait',
]
