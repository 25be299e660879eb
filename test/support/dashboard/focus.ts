import type { Page } from 'playwright-core'
import { until } from '../until'

/** What has the focus. */
export type Focused = {
  /** The same for the same element while the page is open; -1 for the page itself. */
  id: number
  name: string
  /** Whether it is seen: it has a size, an outline, and is on the screen. */
  isSeen: boolean
  isInDialog: boolean
  /** It hands the focus on at once. */
  isGuard: boolean
  tabIndex: number
}

/** The focused element. `name` is for messages of tests, not its accessible name. */
export const focused = (page: Page): Promise<Focused> =>
  page.evaluate(`(() => {
    const element = document.activeElement
    if (element === null || element === document.body)
      return { id: -1, name: 'page', isSeen: true, isInDialog: false, isGuard: false, tabIndex: 0 }
    const ids = (globalThis.focusIds ??= new Map())
    if (!ids.has(element)) ids.set(element, ids.size)
    const box = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    const isOutlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
    const isOnScreen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
    const label = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 60)
    return {
      id: ids.get(element),
      name: element.tagName.toLowerCase() + ' ' + (label || element.id || element.name || ''),
      isSeen: isOnScreen && isOutlined,
      isInDialog: element.closest('[role=dialog], [role=alertdialog], [role=menu]') !== null,
      isGuard: element.hasAttribute('data-base-ui-focus-guard'),
      tabIndex: element.tabIndex,
    }
  })()`)

/** More than any page has. */
const STOPS_MAX = 300

/** All that Tab reaches, from the top of the page until the focus leaves it or begins again. */
export const tabStops = async (page: Page): Promise<Focused[]> => {
  const stops: Focused[] = []
  for (let press = 0; press < STOPS_MAX; press++) {
    await page.keyboard.press('Tab')
    const stop = await until('a guard has handed the focus on', async () => {
      const found = await focused(page)
      return !found.isGuard && found
    })
    // A field of a date has a stop for each of its parts.
    if (stop.id === stops.at(-1)?.id) continue
    if (stop.id === -1 || stops.some(({ id }) => id === stop.id)) return stops
    stops.push(stop)
  }
  throw new Error(`Tab has not left the page after ${STOPS_MAX} stops`)
}

/** What a mouse can use and Tab should reach: the names of what is visible and enabled. Of radio buttons one is a stop. */
export const missedByTab = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter(one => !one.disabled && one.type !== 'radio')
    .filter(one => one.checkVisibility({ visibilityProperty: true }))
    .filter(one => !globalThis.focusIds?.has(one))
    .map(one => one.outerHTML.slice(0, 120))`)
