import { useEffect, useId, useRef, useState } from 'react'
import type uPlot from 'uplot'
import { Button } from '../controls/button'
import { exactTime } from '../controls/time'
import { type ChartTone, drawChart } from './draw-chart'

type ChartSeries = {
  name: string
  tone: ChartTone
  /** One value for each time; null where there is none. */
  values: readonly (number | null)[]
}

type ChartProps = {
  /** The title, such as "Deliveries by outcome". */
  label: string
  /** In ms since 1970, in order. */
  times: readonly number[]
  series: readonly ChartSeries[]
  /** Bars are stacked; lines are not. */
  kind: 'bars' | 'line'
  /** Shows 1 at the top, as for ranks. */
  inverted?: boolean
  /** In px. */
  height?: number
  /** Formats a value; by default as a number. */
  format?: (value: number) => string
  /** Formats a time; by default to the second. */
  timeText?: (time: number) => string
}

const NUMBER = new Intl.NumberFormat('en')
const plain = (value: number) => NUMBER.format(value)

const exact = (time: number) => exactTime(new Date(time).toISOString())

const SWATCH: { [tone in ChartTone]: string } = {
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  accent: 'bg-accent',
  quiet: 'bg-faint',
}

/**
 * Values over time, drawn on a canvas. A button shows the same values as a table, which screen readers can
 * read.
 */
export const Chart = (props: ChartProps) => {
  const { label, series, times, height = 200, format = plain, timeText = exact } = props
  const id = useId()
  const [asTable, setAsTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  const shown = at ?? times.length - 1
  const time = times[shown]
  return (
    <figure aria-labelledby={id} className="p-4">
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        <span id={id} className="sr-only">
          {label}
        </span>
        {series.map(({ name, tone, values }) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-[2px] ${SWATCH[tone]}`} />
            {name}
            {!asTable && at !== null && (
              <span className="num font-medium text-text">
                {formatValue(values[shown], format)}
              </span>
            )}
          </span>
        ))}
        {at !== null && time !== undefined && <span className="num">{timeText(time)}</span>}
        <Button
          variant="quiet"
          className="ml-auto h-6 px-2 text-xs"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'Chart' : 'Table'}
        </Button>
      </figcaption>
      {asTable ? (
        <Values {...props} height={height} />
      ) : (
        <Canvas {...props} height={height} onAt={setAt} />
      )}
    </figure>
  )
}

const formatValue = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value)

const Canvas = ({
  times,
  series,
  kind,
  inverted = false,
  height,
  format,
  onAt,
}: ChartProps & { height: number; onAt: (index: number | null) => void }) => {
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = root.current
    if (element === null) return
    let chart: uPlot | undefined
    const draw = () => {
      chart?.destroy()
      chart = drawChart(element, { times, series, kind, inverted, height, format, onAt })
    }
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height }))
    draw()
    resized.observe(element)
    addEventListener('arden:theme', draw)
    return () => {
      removeEventListener('arden:theme', draw)
      resized.disconnect()
      chart?.destroy()
    }
  }, [times, series, kind, inverted, height, format, onAt])
  return <div ref={root} aria-hidden style={{ height }} />
}

const Values = ({ label, times, series, height, format = plain, timeText = exact }: ChartProps) => (
  <section
    aria-label={`${label}, as a table`}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard as well
    tabIndex={0}
    className="overflow-auto"
    style={{ height }}
  >
    <table className="num w-full text-xs">
      <thead>
        <tr className="text-left text-muted">
          <th scope="col" className="py-1 font-medium">
            Time
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="py-1 text-right font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, index) => (
          <tr key={time} className="border-t border-line">
            <th scope="row" className="py-1 text-left font-normal">
              {timeText(time)}
            </th>
            {series.map(({ name, values }) => (
              <td key={name} className="py-1 text-right">
                {formatValue(values[index], format)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
