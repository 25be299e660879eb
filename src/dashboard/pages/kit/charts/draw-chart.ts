import uPlot from 'uplot'

export type ChartTone = 'good' | 'bad' | 'warn' | 'accent' | 'quiet'

type Drawing = {
  times: readonly number[]
  series: readonly { name: string; tone: ChartTone; values: readonly (number | null)[] }[]
  kind: 'bars' | 'line'
  inverted: boolean
  height: number
  format: ((value: number) => string) | undefined
  /** Called with the index of the time under the cursor. */
  onAt: (index: number | null) => void
}

const TOKENS: { [tone in ChartTone]: string } = {
  good: '--good',
  bad: '--bad',
  warn: '--warn',
  accent: '--accent',
  quiet: '--faint',
}

/** Draws into `element` in the current colours. */
export const drawChart = (element: HTMLElement, drawing: Drawing): uPlot => {
  const { times, series, kind, inverted, height, format, onAt } = drawing
  const styles = getComputedStyle(document.documentElement)
  const colour = (token: string) => styles.getPropertyValue(token).trim()
  const isBars = kind === 'bars'
  // Cumulative sums, the highest first: later bars cover the lower parts of earlier ones.
  const drawn = isBars ? sums(series.map(({ values }) => values)).reverse() : series.map(plainOf)
  const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2
  const tones = series.map(({ tone }) => colour(TOKENS[tone]))
  const bars = uPlot.paths.bars?.({ size: [0.72, 28], radius: 0.15 })
  const axis = {
    stroke: colour('--faint'),
    font: `11px ${styles.getPropertyValue('--font-sans') || 'Geist, sans-serif'}`,
    ticks: { show: false },
  }
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      ms: 1,
      legend: { show: false },
      cursor: { y: false, points: { show: !isBars }, drag: { x: false, y: false } },
      // At the right, half the longest label below.
      padding: [8, 20, 0, 0],
      scales: {
        // Half a bar at each end, which would be cut otherwise; of a line at least a day, because labels name hours.
        x: {
          range: (_, first, last) => {
            const more = isBars ? half : Math.max(0, DAY_MS - (last - first)) / 2
            return [first - more, last + more]
          },
        },
        y: inverted
          ? { dir: -1, range: (_, low, high) => [Math.max(1, low - 1), high + 1] }
          : { range: (_, _low, high) => [0, Math.max(1, (high ?? 0) * 1.08)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 72,
          size: 28,
          values: (_, times) => times.map(timeText),
        },
        {
          ...axis,
          size: 44,
          grid: { stroke: colour('--line'), width: 1 },
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
          values: (_, splits) => splits.map(value => (format ?? String)(value)),
        },
      ],
      series: [
        {},
        ...(isBars ? [...tones].reverse() : tones).map(tone => ({
          stroke: tone,
          width: isBars ? 0 : 2,
          ...(isBars && bars && { fill: tone, paths: bars }),
          points: { show: !isBars && times.length < 60, size: 5, fill: tone },
          spanGaps: false,
        })),
      ],
      hooks: { setCursor: [({ cursor }) => onAt(cursor.idx ?? null)] },
    },
    [[...times], ...drawn],
    element,
  )
}

const DAY_MS = 86_400_000

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const HOUR = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Midnight is named by its day, other times by the hour. */
const timeText = (time: number): string => {
  const at = new Date(time)
  return at.getHours() === 0 && at.getMinutes() === 0 ? DAY.format(at) : HOUR.format(at)
}

const plainOf = ({ values }: { values: readonly (number | null)[] }) => [...values]

const sums = (all: (readonly (number | null)[])[]): number[][] => {
  const total: number[] = []
  return all.map(values =>
    values.map((value, index) => {
      total[index] = (total[index] ?? 0) + (value ?? 0)
      return total[index]
    }),
  )
}
