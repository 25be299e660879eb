import { describe, expect, test } from 'bun:test'
import { renderBody } from '../../src/content/export/render'
import { previewOf, useArticlePages } from '../support/dashboard/articles'
import { checkOffences, look } from '../support/dashboard/dashboard'

/** Hostile Markdown in the preview. */

const pages = await useArticlePages()

describe('hostile Markdown', () => {
  const HOSTILE = [
    '<script>window.ran = 1</script>',
    '<img src=x onerror="window.ran = 1">',
    '<svg onload="window.ran = 1"></svg>',
    '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
    '<a href="javascript:window.ran=1">click</a>',
    '[one](javascript:window.ran=1)',
    '[two](JaVaScRiPt&colon;window.ran=1)',
    '[three](&#106;avascript:window.ran=1)',
    '[four](<java\tscript:window.ran=1>)',
    '[five](data:text/html,<script>window.ran=1</script>)',
    '[six](vbscript:window.ran=1)',
    '[seven]( javascript:window.ran=1)',
    '[eight][ref]',
    '<javascript:window.ran=1>',
    '![picture](javascript:window.ran=1)',
    '![picture](https://evil.example/seen.png)',
    '![x" onerror="window.ran=1](x)',
    '[x](https://a.example/"onmouseover="window.ran=1)',
    '```html"><script>window.ran=1</script>\n</code><script>window.ran=1</script>\n```',
    '&lt;script&gt;window.ran=1&lt;/script&gt;',
    '| <img src=x onerror=window.ran=1> |\n|--|\n| <b onclick=window.ran=1>b</b> |',
    '<form action=/dashboard/api/me><button>go</button></form><style>*{display:none}</style>',
    '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example">',
    '[ref]: javascript:window.ran=1',
  ].join('\n\n')

  test.each(['owner', 'viewer'] as const)(
    'runs no script and loads nothing when a %s opens it',
    async role => {
      const page = await pages.open(await pages.newArticle(`Hostile to ${role}`, HOSTILE), role)
      await page.getByText('seven').last().waitFor()
      const inside = role === 'owner' ? 'section[aria-label=Preview]' : 'main'
      const found =
        (await page.evaluate(`[...document.querySelectorAll('${inside} *')].map(one => ({
      name: one.localName,
      scripts: one.getAttributeNames().filter(name => name.startsWith('on')),
      href: one.getAttribute('href'),
    }))`)) as { name: string; scripts: string[]; href: string | null }[]
      const tags = new Set(found.map(({ name }) => name))
      for (const tag of ['script', 'img', 'iframe', 'form', 'style', 'base', 'meta', 'object'])
        expect(tags).not.toContain(tag)
      expect(found.flatMap(({ scripts }) => scripts)).toEqual([])
      for (const { href } of found)
        if (href !== null) expect(href).toMatch(/^(https?:|mailto:|\/dashboard\/)/)
      for (const link of await page.getByText(/^(one|two|three|four|five|six|seven|eight)$/).all())
        await link.click()
      expect(await page.evaluate('window.ran')).toBeUndefined()
      if (role === 'owner') await look(page, 'article-hostile')
      checkOffences(page)
    },
    60_000,
  )

  test.each([
    ['quotes in quotes', '>'.repeat(30_000)],
    ['lists in lists', Array.from({ length: 200 }, (_, n) => `${' '.repeat(n * 2)}- a`).join('\n')],
    ['more than is shown at once', `${'Some words. '.repeat(20_000)}`],
  ])(
    'of %s leaves the page usable',
    async (_, body) => {
      const page = await pages.open(await pages.newArticle('Deep', body))
      await page.getByRole('button', { name: 'Publish' }).waitFor()
      await page.getByLabel('Title', { exact: true }).fill('Still here')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('All changes saved').waitFor()
      checkOffences(page)
    },
    60_000,
  )
})

test('the preview links a bare address without the marks around it', async () => {
  const body =
    '„https://a.example/a“ «https://a.example/b» https://a.example/e… 见https://a.example/中，后 **https://a.example/f**'
  const page = await pages.open(await pages.newArticle('Quoted', body))
  const link = previewOf(page).locator('a')
  await link.first().waitFor()
  expect(await Promise.all((await link.all()).map(one => one.getAttribute('href')))).toEqual([
    'https://a.example/a',
    'https://a.example/b',
    'https://a.example/e',
    'https://a.example/%E4%B8%AD',
    'https://a.example/f',
  ])
})

test('the preview shows Markdown within tags, and a picture that is a link as one link', async () => {
  const body =
    '<div>\n**Bold**\n</div>\n\n[**![**Alt** &amp; text](https://p.example/i.png)**](https://l.example/)'
  const page = await pages.open(await pages.newArticle('Within tags', body))
  const preview = previewOf(page)
  await preview.getByText('Bold', { exact: true }).waitFor()
  expect(await preview.locator('strong').allTextContents()).toEqual(['Bold', 'Image: Alt & text'])
  expect(await preview.locator('a').allTextContents()).toEqual(['Image: Alt & text'])
  checkOffences(page)
})

test('the preview links the email addresses that an export links', async () => {
  const body = [
    'Mail max\\_muster@a.de, a.b\\+c\\_d@a.de.',
    '\\_max\\_m@a.de, „info@my\\-host.de“, __info@a.de__, info@a.de&#44; *x@a.de*',
    // As they are: these are no addresses, are hidden, or are within a link.
    'søren@a.dk müller\\_max@a.de sø\\_ren@a.dk foo/bar\\_baz@a.de hidden\\@a.de hidden&#64;a.de',
    '[sø\\_ren@a.dk](/a) [b\\_c@a.de](https://l.example/) `d@a.de` <b title="e@a.de">',
  ].join('\n\n')
  const id = await pages.newArticle('Emails', body)
  const page = await pages.open(id)
  const preview = previewOf(page)
  await preview.getByText('sø_ren@a.dk foo/bar_baz@a.de hidden@a.de hidden@a.de').waitFor()
  const links = preview.locator('a[href^="mailto:"]')
  const shown = await links.evaluateAll(all =>
    all.map(one => [one.getAttribute('href'), one.textContent]),
  )
  expect(shown).toEqual(
    [
      'max_muster@a.de',
      'a.b+c_d@a.de',
      '_max_m@a.de',
      'info@my-host.de',
      'info@a.de',
      'info@a.de',
      'x@a.de',
    ].map(address => [`mailto:${address}`, address]),
  )
  const exported = renderBody(body).matchAll(/<a href="(mailto:[^"]*)">([^<]*)</g)
  expect([...exported].map(([, ...link]) => link)).toEqual(shown)
  expect(await preview.getByText('\\').count()).toBe(0)
})

test('the preview shows what follows a bare address without a space as Markdown, and references as characters', async () => {
  const body =
    '见https://a.example/中，然后**重要**的https://b.example/b。\n\nhttps://a.example/?a=1&amp;b=2 &copy; &copyright;'
  const page = await pages.open(await pages.newArticle('Unspaced', body))
  const preview = previewOf(page)
  await preview.getByText('重要', { exact: true }).waitFor()
  await preview.getByText('© &copyright;').waitFor()
  expect(await preview.locator('strong').allTextContents()).toEqual(['重要'])
  expect(await preview.locator('a').allTextContents()).toEqual([
    'https://a.example/中',
    'https://b.example/b',
    'https://a.example/?a=1&b=2',
  ])
})
