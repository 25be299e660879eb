import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** A real Chromium: nothing is downloaded for it, so it is looked for on the machine. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/**
 * What the window around a page costs: its address bar is a web page of its own, in a process of its own,
 * with every context 0.2 s of CPU of the 0.5 s that an empty page takes.
 */
const WITHOUT = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']
/** Chromium takes its last list of features only, so these are Playwright's own as well. */
const WITHOUT_AS_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  `--disable-features=${[...WITHOUT_AS_PLAYWRIGHT, ...WITHOUT].join(',')}`,
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
