import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium: nothing is downloaded for it, so it is looked for on the machine. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
]

const findChromium = (): string => {
  const { CHROMIUM_PATH: path } = process.env
  if (path) {
    if (existsSync(path)) return path
    throw new Error(
      `CHROMIUM_PATH is ${path}, and there is no such file. Put it right, or unset it.`,
    )
  }
  const found = NAMES.map(name => Bun.which(name)).find(one => one !== null)
  if (found) return found
  throw new Error(
    `The tests of the dashboard need Chromium, and none of ${NAMES.join(', ')} is on the PATH. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.`,
  )
}

/** Starts it; one for a test file. It ends with the test process. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: FLAGS, timeout: 30_000 })
