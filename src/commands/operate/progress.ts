import { Presets, SingleBar } from 'cli-progress'

/** How far long work is: called with what is done, of `total`; both in the same unit, named `unit`. */
export type Progress = { at: (done: number, total: number) => void; end: () => void }

/** A bar on stderr, on a terminal only: logs and pipes get none of it. */
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
