import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queries } from '../support/operations/deploy-queries'

/** The rules of deploy/prometheus/alerts.yml, run by Prometheus's own tool, and their pages in docs/runbooks. */

const RULES = 'deploy/prometheus/alerts.yml'
const CASES = join(import.meta.dir, '../support/operations/alert-cases.yml')
const RUNBOOKS = 'docs/runbooks'

type Cases = {
  rule_files: string[]
  tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
}
const cases = Bun.YAML.parse(await Bun.file(CASES).text()) as Cases
const { rules } = await queries()

const hasPromtool = Bun.which('promtool') !== null
if (!hasPromtool)
  process.stderr.write(
    'test/operations/alert-rules.test.ts: Not run: the rules in promtool, which is not installed (Debian: prometheus).\n',
  )

test.skipIf(!hasPromtool)(
  'Prometheus accepts the rules, and fires each as its cases say',
  async () => {
    const check = Bun.spawnSync(['promtool', 'check', 'rules', RULES])
    expect(check.stderr.toString()).toBe('')
    // promtool compares the annotations too, which are words and change.
    const { groups } = Bun.YAML.parse(await Bun.file(RULES).text()) as {
      groups: { rules: Record<string, unknown>[] }[]
    }
    for (const group of groups) for (const rule of group.rules) delete rule.annotations
    const folder = await mkdtemp(join(tmpdir(), 'arden-alerts-'))
    await Bun.write(join(folder, 'alerts.yml'), JSON.stringify({ groups }))
    await Bun.write(join(folder, 'cases.yml'), JSON.stringify(cases))
    const run = Bun.spawnSync(['promtool', 'test', 'rules', 'cases.yml'], { cwd: folder })
    expect(`${run.stdout}${run.stderr}`).toContain('SUCCESS')
    expect(run.exitCode).toBe(0)
  },
)

test('each alert has a case in which it fires, and one in which it does not', () => {
  const all = cases.tests.flatMap(one => one.alert_rule_test)
  const named = (fires: boolean) =>
    new Set(
      all
        .filter(({ exp_alerts: expected = [] }) => expected.length > 0 === fires)
        .map(one => one.alertname),
    )
  const alerts = rules.map(({ alert }) => alert).sort()
  expect([...named(true)].sort()).toEqual(alerts)
  expect([...named(false)].sort()).toEqual(alerts)
})

describe('docs/runbooks', () => {
  test('has one page for each alert, which its annotation names', () => {
    const pages = readdirSync(RUNBOOKS).map(file => `${RUNBOOKS}/${file}`)
    expect(rules.map(({ annotations }) => annotations.runbook ?? '').sort()).toEqual(pages.sort())
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`${RUNBOOKS}/${alert}.md`)
  })

  test('each page says what the alert means, where to look, what to do and when it is over', async () => {
    for (const { alert, labels } of rules) {
      const text = await Bun.file(`${RUNBOOKS}/${alert}.md`).text()
      expect(text).toStartWith(`# ${alert}\n\nSeverity: ${labels.severity}.\n\n`)
      expect(text.match(/^## .*/gm)).toEqual(['## Look here', '## Do this', '## It is over when'])
    }
  })
})
