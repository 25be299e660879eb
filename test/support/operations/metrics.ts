/** One line of Prometheus's text format. */
export type Sample = { name: string; labels: Record<string, string>; value: number }

/** The metrics at `url`: its samples, and the names of all metrics, those without a sample too. */
export const scrape = async (url: string | undefined) => {
  const response = await fetch(url ?? 'the process has no metrics')
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`)
  const text = await response.text()
  const samples: Sample[] = []
  const names = new Set<string>()
  for (const line of text.split('\n')) {
    const [, metric, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (metric !== undefined) {
      names.add(metric)
      if (type === 'histogram')
        for (const part of ['bucket', 'sum', 'count']) names.add(`${metric}_${part}`)
    }
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined) continue
    samples.push({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label, of]),
      ),
      value: Number(value),
    })
  }
  /** The sum of the samples that have at least these labels; undefined when there is none. */
  const value = (name: string, labels: Record<string, string> = {}): number | undefined => {
    const found = samples.filter(
      sample =>
        sample.name === name &&
        Object.entries(labels).every(([label, is]) => sample.labels[label] === is),
    )
    return found.length === 0 ? undefined : found.reduce((sum, sample) => sum + sample.value, 0)
  }
  return { text, samples, names, value }
}
