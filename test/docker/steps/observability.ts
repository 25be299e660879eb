import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startReceiver } from '../../support/receiver'
import { until } from '../../support/until'
import type { Check } from '../check'
import { ready } from '../operator'

const PROMETHEUS = 'http://127.0.0.1:9090/api/v1'
/** Of prometheus.yml: two scrapes of every target. */
const SCRAPED_S = 60
/** ArdenNoServe fires after 2 minutes, and Alertmanager waits for 30 s for what belongs to it. */
const ALERT_S = 300

type Target = { labels: { job: string }; health: string; lastError: string }
type Rules = { groups: { rules: { name: string; health: string }[] }[] }

const query = async <T>(path: string): Promise<T> => {
  const response = await fetch(`${PROMETHEUS}${path}`)
  return ((await response.json()) as { data: T }).data
}

/** Every target is scraped, every rule is evaluated, and an alert reaches the webhook of the operators. */
export const observability = async (check: Check): Promise<void> => {
  const { operator, machine, say } = check
  const { run, dir } = operator
  const pager = startReceiver(undefined, machine)
  try {
    await appendFile(
      join(dir, '.env'),
      `ALERT_WEBHOOK_URL=${pager.url}/alerts\nGRAFANA_PASSWORD=check\n`,
    )
    await run('docker compose --profile observability up --detach')
    const targets = await until(
      'every target of Prometheus is up',
      async () => {
        const { activeTargets } = await query<{ activeTargets: Target[] }>('/targets').catch(
          () => ({
            activeTargets: [],
          }),
        )
        const jobs = Map.groupBy(activeTargets, ({ labels }) => labels.job)
        return jobs.size === 4 && activeTargets.every(({ health }) => health === 'up') && jobs
      },
      SCRAPED_S,
    )
    say(`targets up: ${[...targets].map(([job, all]) => `${job} ${all.length}`).join(', ')}`)
    const rules = await until(
      'every rule was evaluated',
      async () => {
        const all = (await query<Rules>('/rules')).groups.flatMap(group => group.rules)
        return all.length > 0 && all.every(({ health }) => health === 'ok') && all
      },
      SCRAPED_S,
    )
    say(`${rules.length} alert rules loaded and evaluated`)

    await run('docker compose stop serve')
    const stopped = performance.now()
    await until(
      'ArdenNoServe reaches the webhook of the operators',
      () => pager.received.some(({ body }) => body.includes('ArdenNoServe')),
      ALERT_S,
    )
    say(
      `ArdenNoServe was sent ${((performance.now() - stopped) / 1000).toFixed(0)} s after serve stopped`,
    )
    await run('docker compose up --detach')
    await ready(operator)
  } finally {
    pager.stop()
  }
}
