import type { Page } from 'playwright-core'

/**
 * What does not fit on the page as it is: the page is wider than the screen, a control is outside the row of its
 * table, or a cell of a card shows the name of a value that it does not have.
 */
export const layoutProblems = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const found = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth !== clientWidth) found.push(scrollWidth - clientWidth + ' px wider than the screen')
    for (const row of document.querySelectorAll('tbody tr')) {
      const { left, right } = row.getBoundingClientRect()
      for (const control of row.querySelectorAll('a, button, input')) {
        const box = control.getBoundingClientRect()
        if (box.left < left || box.right > right)
          found.push('a control is outside its row: ' + control.outerHTML.slice(0, 120))
      }
      for (const head of row.querySelectorAll('td > [aria-hidden]:first-child'))
        if (head.checkVisibility() && head.innerText.trim() === head.parentElement.innerText.trim() && head.parentElement.querySelector('svg, progress, meter') === null)
          found.push('a name without a value: ' + head.innerText)
    }
    return [...new Set(found)]
  })()`)
