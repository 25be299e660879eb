import { Presets, SingleBar } from 'cli-progress'

/** `at` shows how much of `total` is done. */
export type Progress = { at: (done: number, total: number) => void; end: () => void }

/** A progress bar on stderr, only where that is a terminal. `unit` names what is counted. */
export const progressBar = (unit: string): Progress => {
  const bar = new SingleBar(
    {
      format: `{bar} {value} of {total} ${unit}, {eta_formatted} left`,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  )
  return {
    at: (done, total) => {
      if (!bar.isActive) bar.start(total, done)
      bar.update(done)
    },
    end: () => bar.stop(),
  }
}
