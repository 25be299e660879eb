import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'

/** What is pasted into the text of an article. */

const pages = await useArticlePages()

/** Puts formatted text on the clipboard, as word processors in a browser do. */
const copy = async (page: Page, html: string) => {
  await page.evaluate(`addEventListener('copy', event => {
    event.clipboardData.setData('text/html', ${JSON.stringify(html)})
    event.clipboardData.setData('text/plain', ${JSON.stringify(PLAIN)})
    event.preventDefault()
  }, { once: true })`)
  await page.keyboard.press('Control+c')
}

const PLAIN = '# Grind\n*coarse*'

/** An article with the cursor in its text, and something to paste. */
const open = async (html: string): Promise<Page> => {
  const page = await pages.open(await pages.newArticle('Pasted', 'Before.After.'))
  await bodyOf(page).click()
  await copy(page, html)
  await page.keyboard.press('Home')
  for (const _ of 'Before.') await page.keyboard.press('ArrowRight')
  return page
}

const WORD_LIST = (level: number, mark: string, text: string) =>
  `<p class=MsoListParagraph style='mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='mso-list:Ignore'>${mark}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>${text}<o:p></o:p></p>`

test.each([
  [
    'Google Docs',
    '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span style="font-weight:700">Grind</span></h2><p dir="ltr"><span style="font-weight:400">Use </span><span style="font-weight:700">coarse</span><span style="font-style:italic"> beans</span>.</p><ul><li dir="ltr"><p><span>One</span></p></li><li dir="ltr"><p><span>Two</span></p></li></ul></b>',
    '## Grind\n\nUse **coarse** *beans*.\n\n-   One\n-   Two',
  ],
  [
    'Word',
    `<html><head><style>h1 { color: red }</style></head><body><!--StartFragment--><h1>Grind<o:p></o:p></h1><p class=MsoNormal>Use <b>coarse</b> <a href="https://example.com/beans">beans</a>.</p>${WORD_LIST(1, '·', 'One')}${WORD_LIST(2, 'o', 'Within')}${WORD_LIST(1, '2.', 'Two')}<!--EndFragment--></body></html>`,
    '# Grind\n\nUse **coarse** [beans](https://example.com/beans).\n\n- One\n    - Within\n1. Two',
  ],
  [
    'a spreadsheet',
    '<table><tr><td>Bean</td><td>Price</td></tr><tr><td>Yirgacheffe</td><td>12</td></tr></table>',
    '| Bean | Price |\n| --- | --- |\n| Yirgacheffe | 12  |',
  ],
  [
    'a page with a picture and a script',
    '<h2>Grind</h2><script>window.ran = 1</script><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onerror="window.ran = 1"><img src="https://example.com/a.png" alt="A mill"><a href="javascript:window.ran=1">Go</a>',
    '## Grind\n\n![A mill](https://example.com/a.png)Go',
  ],
])('keeps what was formatted in %s', async (_, html, expected) => {
  const page = await open(html)
  await page.keyboard.press('Control+v')
  expect(await bodyOf(page).inputValue()).toBe(`Before.\n\n${expected}\n\nAfter.`)
  await page.keyboard.press('Control+z')
  expect(await bodyOf(page).inputValue()).toBe('Before.After.')
  await page.keyboard.press('Control+Shift+v')
  expect(await bodyOf(page).inputValue()).toBe(`Before.${PLAIN}After.`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
})

test.each([
  ['words of a sentence', '<p>Use <b>coarse</b> beans</p>', 'Use **coarse** beans'],
  [
    'a code editor',
    '<div style="font-family: monospace"><span style="font-weight: 700"># Grind</span></div>',
    PLAIN,
  ],
])('puts %s where the cursor is', async (_, html, expected) => {
  const page = await open(html)
  await page.keyboard.press('Control+v')
  expect(await bodyOf(page).inputValue()).toBe(`Before.${expected}After.`)
})
