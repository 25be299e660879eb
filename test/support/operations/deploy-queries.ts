/** The metrics of a query: their names, and the labels that it gives values. */
export const metricsOf = (query: string) => [
  ...query.matchAll(/\b((?:arden|temporal|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
]

/** The rules of the alerts in deploy/, and the queries that its dashboard draws. */
export const queries = async () => {
  const dashboard = await Bun.file('deploy/grafana/dashboard.json').json()
  const alerts = Bun.YAML.parse(await Bun.file('deploy/prometheus/alerts.yml').text()) as {
    groups: {
      rules: {
        alert: string
        expr: string
        labels: Record<string, string>
        annotations: Record<string, string>
      }[]
    }[]
  }
  const rules = alerts.groups.flatMap(group => group.rules)
  const panels: { targets?: { expr: string }[] }[] = dashboard.panels
  const drawn = panels.flatMap(panel => panel.targets ?? []).map(target => target.expr)
  return { rules, drawn }
}
