import type { Locator } from 'playwright-core'
import { until } from '../until'

/** Waits until the middle of an element is on the screen, and nothing covers it. */
export const waitUntilInView = (of: Locator): Promise<unknown> =>
  until(`${of} is in view`, () =>
    of.evaluate(element => {
      const { x, y, width, height } = element.getBoundingClientRect()
      const top = element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2)
      return element.contains(top)
    }),
  )
