import { describe, expect, test } from 'bun:test'
import { metricsOf, queries } from '../support/operations/deploy-queries'

describe('deploy/', () => {
  test('a serve and a worker that are gone, and so no target any more, are missed', async () => {
    const scraped = Bun.YAML.parse(await Bun.file('deploy/prometheus/prometheus.yml').text()) as {
      scrape_configs: { job_name: string; dns_sd_configs?: { names: string[] }[] }[]
    }
    const jobs = scraped.scrape_configs.flatMap(({ job_name, dns_sd_configs: names }) =>
      names === undefined ? [] : [[job_name, ...names.flatMap(one => one.names)]],
    )
    expect(jobs).toEqual([
      ['arden-serve', 'serve'],
      ['arden-worker', 'worker'],
    ])
    const { rules } = await queries()
    const missed = rules.flatMap(({ expr }) => [...expr.matchAll(/absent\(([^ )]+)/g)])
    // Only workers report arden_workers.
    expect(missed.map(([, what]) => what)).toEqual(['arden_workers', 'up{job="arden-serve"}'])
  })

  test('deliveries that are attempted are not called stalled: with on-retry none is passed to Temporal', async () => {
    const { rules } = await queries()
    const stalled = rules.find(({ alert }) => alert === 'ArdenDispatcherStalled')?.expr ?? ''
    expect(metricsOf(stalled).map(([, name]) => name)).toEqual([
      'arden_outbox_oldest_due_age_seconds',
      'arden_hand_overs_total',
      'arden_attempts_total',
    ])
    expect(stalled).toContain('unless on (table)')
  })

  test('every alert says what happened and what to do', async () => {
    const { rules } = await queries()
    expect(rules.length).toBeGreaterThan(5)
    for (const { annotations } of rules) {
      expect(annotations.summary).toMatch(/\.$/)
      expect(annotations.action).toMatch(/\.$/)
    }
  })
})
