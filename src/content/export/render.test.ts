import { expect, test } from 'bun:test'
import { fc } from '../../../test/support/property'
import { renderBody } from './render'

/** Tags with their attributes, as a parser of HTML finds them. */
const elementsOf = (html: string) => {
  const elements: { tag: string; attributes: [string, string][] }[] = []
  new HTMLRewriter()
    .on('*', {
      element({ tagName, attributes }) {
        elements.push({
          tag: tagName,
          attributes: [...attributes].map(([n, v]) => [n ?? '', v ?? '']),
        })
      },
    })
    .transform(html)
  return elements
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](&#x1;javascript:alert(1))',
  '[x](<java\tscript:alert(1)>)',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](//evil.example)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg/onload=alert(1)>)',
  '![" onerror="alert(1)](http://a/b "t\\" onerror=\\"alert(1)")',
  '[x](http://a "\\" onclick=\\"alert(1)")',
  '[r]: javascript:alert(1)\n\n[r]',
  '<javascript:alert(1)>',
  '<https://a.example/?a=1&b="onclick=alert(1)>',
  "<mailto:x'onclick=alert(1)//@a.example>",
  '<ada@a.example>',
  'javascript:alert(1)',
  '```"onclick=alert(1)\nx\n```',
  '<!--',
  '-->',
  '<![CDATA[',
  '<style>@import url(x)</style>',
  '</article></body><script>alert(1)</script>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '| a |\n| - |\n| <script>alert(1)</script> |',
  '> ',
  '- ',
  '`',
  '*',
  '\n\n',
  '&lt;script&gt;',
  '\u2028',
  '\\',
]

const hostileText = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: fc.string() },
  ),
  { maxLength: 12 },
)

test('no Markdown becomes a script, an event handler or a link that runs one', () => {
  fc.assert(
    fc.property(hostileText, parts => {
      for (const { tag, attributes } of elementsOf(renderBody(parts.join('')))) {
        expect(TAGS).toContain(tag)
        for (const [name, value] of attributes) {
          expect([
            'href',
            'src',
            'alt',
            'title',
            'start',
            'align',
            'type',
            'disabled',
            'checked',
            'class',
          ]).toContain(name)
          if (name === 'class')
            expect([tag, value]).toEqual(['code', expect.stringMatching(/^language-/)])
          if (name !== 'href' && name !== 'src') continue
          const url = new URL(value.replaceAll('&amp;', '&'), 'https://relative.example')
          expect(['http:', 'https:', 'mailto:']).toContain(url.protocol)
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

const TAGS =
  'h1 h2 h3 h4 h5 h6 p br hr blockquote ul ol li pre code em strong del table thead tbody tr th td a img input'.split(
    ' ',
  )

test('renders what articles are written with', () => {
  const html = renderBody(
    '## Grind\n\n*Fine* **or** ~~none~~ [more](https://a.example/b?c=1&d=2 "Title"), [here](/pricing).\n\n1. one\n2. two\n\n- [x] done\n\n| a | b |\n| :- | -: |\n| c | d |\n\n![cup](https://a.example/cup.jpg)\n\n```js\na < b\n```\n',
  )
  expect(html).toBe(`<h2>Grind</h2>
<p><em>Fine</em> <strong>or</strong> <del>none</del> <a href="https://a.example/b?c=1&amp;d=2" title="Title">more</a>, <a href="/pricing">here</a>.</p>
<ol>
<li>one</li>
<li>two</li>
</ol>
<ul>
<li><input type="checkbox" disabled checked> done</li>
</ul>
<table>
<thead>
<tr><th align="left">a</th><th align="right">b</th></tr>
</thead>
<tbody>
<tr><td align="left">c</td><td align="right">d</td></tr>
</tbody>
</table>
<p><img src="https://a.example/cup.jpg" alt="cup" /></p>
<pre><code class="language-js">a &lt; b
</code></pre>
`)
})

test('links an address in angle brackets, which are shown where they are escaped', () => {
  const rendered = (markdown: string) => renderBody(markdown).trim().slice(3, -4)
  for (const [markdown, html] of [
    ['to <ada@acme.example>, or', 'to <a href="mailto:ada@acme.example">ada@acme.example</a>, or'],
    [
      '*<https://acme.example/?a=1&b=2>*',
      '<em><a href="https://acme.example/?a=1&amp;b=2">https://acme.example/?a=1&amp;b=2</a></em>',
    ],
    ['<mailto:ada@acme.example>', '<a href="mailto:ada@acme.example">mailto:ada@acme.example</a>'],
    ['Ada \\<a@b.example\\>', 'Ada &lt;<a href="mailto:a@b.example">a@b.example</a>&gt;'],
    ['&lt;a@b.example&gt;', '&lt;<a href="mailto:a@b.example">a@b.example</a>&gt;'],
    [
      '<https://acme.example/?q="x">',
      '<a href="https://acme.example/?q=&quot;x&quot;">https://acme.example/?q=&quot;x&quot;</a>',
    ],
    ['`<https://acme.example>`', '<code>&lt;https://acme.example&gt;</code>'],
    ['[<b@c.d>](/x)', '<a href="/x">&lt;b@c.d&gt;</a>'],
    ['<javascript:alert(1)> <b>', '&lt;javascript:alert(1)&gt; &lt;b&gt;'],
  ] as const)
    expect(rendered(markdown)).toBe(html)
})

test('shows a text as it is that is nested too deeply or too long, and no megabytes of empty cells', () => {
  const deep = `${'> '.repeat(5_000)}<b>`
  expect(renderBody(deep)).toBe(`<pre>${Bun.escapeHTML(deep)}</pre>\n`)
  expect(renderBody(`# a\n${'a '.repeat(200_000)}`)).toStartWith('<pre># a\n')
  const columns = 500
  const table = `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n${'|\n'.repeat(10_000)}`
  // Each of them ends a line.
  for (const end of ['\n', '\r', '\r\n']) {
    const cells = table.replaceAll('\n', end)
    expect(renderBody(cells).length).toBeLessThan(10 * cells.length)
    const quotes = `a${end}${deep}`
    expect(renderBody(quotes)).toBe(`<pre>${Bun.escapeHTML(quotes)}</pre>\n`)
  }
})

test.each([
  ['https://musee.be/été-2026', 'https://musee.be/été-2026', ''],
  ['www.musée.be/été.', 'http://www.musée.be/été', '.'],
  [
    'https://nl.wikipedia.org/wiki/Brussel_(België))',
    'https://nl.wikipedia.org/wiki/Brussel_(België)',
    ')',
  ],
  ['https://a.example/é?a=1&b=2...', 'https://a.example/é?a=1&amp;b=2', '...'],
  ['https://musee.be/été<br>next', 'https://musee.be/été', '&lt;br&gt;next'],
  ['„https://musee.be/été“', 'https://musee.be/été', '“'],
  ['详见https://zh.wikipedia.org/wiki/中国', 'https://zh.wikipedia.org/wiki/中国', ''],
  ['1-https://a.be/é', 'https://a.be/é', ''],
  ['详见https://a.cn/中，然后', 'https://a.cn/中', '，然后'],
  ['详见https://a.cn/b，然后', 'https://a.cn/b', '，然后'],
  ['链接（https://a.cn/b?x=1&y=2）。', 'https://a.cn/b?x=1&amp;y=2', '）。'],
  ['www.a.cn/b。', 'http://www.a.cn/b', '。'],
  ['https://a.sa/ب؟', 'https://a.sa/ب', '؟'],
  ['https://ja.wikipedia.org/wiki/佐々木', 'https://ja.wikipedia.org/wiki/佐々木', ''],
  ['https://ja.wikipedia.org/wiki/二〇二四年」', 'https://ja.wikipedia.org/wiki/二〇二四年', '」'],
])('%s without brackets becomes a link, as one in ASCII', (text, href, rest) => {
  const html = renderBody(`See ${text} here.`)
  expect(html).toContain(`<a href="${href}">`)
  expect(html).toContain(`</a>${rest} here.`)
})

test.each([
  ['**https://a.cn/b** c', '<strong><a href="https://a.cn/b">https://a.cn/b</a></strong> c'],
  ['__See www.a.cn/b__.', '<strong>See <a href="http://www.a.cn/b">www.a.cn/b</a></strong>.'],
  [
    '~~https://a.cn/b?c=1&d~~',
    '<del><a href="https://a.cn/b?c=1&amp;d">https://a.cn/b?c=1&amp;d</a></del>',
  ],
  ['https://a.cn/_b_/c', '<a href="https://a.cn/_b_/c">https://a.cn/_b_/c</a>'],
  ['"https://a.cn/b"', '&quot;<a href="https://a.cn/b">https://a.cn/b</a>&quot;'],
  ["https://a.it/l'isola", `<a href="https://a.it/l'isola">https://a.it/l'isola</a>`],
  ["[d](https://a.it/l'isola)", '<a href="https://a.it/l&#x27;isola">d</a>'],
  ["![c](https://a.it/d'oro.jpg)", '<img src="https://a.it/d&#x27;oro.jpg" alt="c" />'],
  ["[m](mailto:o'neil@a.it)", '<a href="mailto:o&#x27;neil@a.it">m</a>'],
])('%s is a link without the marks around it', (text, html) => {
  expect(renderBody(text)).toBe(`<p>${html}</p>\n`)
})

test.each([
  ['max_muster@a.de', '<a href="mailto:max_muster@a.de">max_muster@a.de</a>'],
  ['„info@a.de“', '„<a href="mailto:info@a.de">info@a.de</a>“'],
  ['__info@a.de__', '<strong><a href="mailto:info@a.de">info@a.de</a></strong>'],
  ['info@a.de...', '<a href="mailto:info@a.de">info@a.de</a>...'],
  [
    'Mail:info@a.de;b@a.de',
    'Mail:<a href="mailto:info@a.de">info@a.de</a>;<a href="mailto:b@a.de">b@a.de</a>',
  ],
  ['[info@a.de](/contact)', '<a href="/contact">info@a.de</a>'],
  ['`info@a.de`', '<code>info@a.de</code>'],
  [
    'https://a.de/?to=info@a.de',
    '<a href="https://a.de/?to=info@a.de">https://a.de/?to=info@a.de</a>',
  ],
  ['jörg@a.de', 'jörg@a.de'],
  ['info&#64;a.de', 'info@a.de'],
  ['info\\@a.de', 'info@a.de'],
  ['max\\_muster@a.de', '<a href="mailto:max_muster@a.de">max_muster@a.de</a>'],
  ['a.b\\+c\\_d@a.de', '<a href="mailto:a.b+c_d@a.de">a.b+c_d@a.de</a>'],
  ['info@my\\-host.de', '<a href="mailto:info@my-host.de">info@my-host.de</a>'],
  ['\\_max\\_m@a.de', '<a href="mailto:_max_m@a.de">_max_m@a.de</a>'],
  ['müller\\_max@a.de', 'müller_max@a.de'],
  ['foo/bar\\_baz@a.de', 'foo/bar_baz@a.de'],
  ['\\\\<b title="info@a.de">', '\\&lt;b title=&quot;info@a.de&quot;&gt;'],
  [
    '____info@a.de____',
    '<strong><strong><a href="mailto:info@a.de">info@a.de</a></strong></strong>',
  ],
  ['<Kontakt info@a.de>', '&lt;Kontakt <a href="mailto:info@a.de">info@a.de</a>&gt;'],
  ['\\<b info=info@a.de>', '&lt;b info=<a href="mailto:info@a.de">info@a.de</a>&gt;'],
  ['<img alt="info@a.de">', '&lt;img alt=&quot;info@a.de&quot;&gt;'],
])('of %s the email address is a link', (text, html) => {
  expect(renderBody(text)).toBe(`<p>${html}</p>\n`)
})

test('an address in brackets takes no link from the next one', () => {
  const html = renderBody('<a b c.\n\ninfo@a.de\n\n> <anna@a.de>, b@a.de: <a href="x">c</a>')
  expect(html.match(/"mailto:[^"]*"/g)).toEqual([
    '"mailto:info@a.de"',
    '"mailto:anna@a.de"',
    '"mailto:b@a.de"',
  ])
})

test.each([
  'https://…',
  'www.…',
  '„https://“',
  'awww.été.be',
  'user@www.é.be',
  'foohttps://é.be',
  'x_www.é.be',
  '网址以www.。',
  'www.\u3000x',
])('%s is no address', text => {
  expect(renderBody(`See ${text} here.`)).toBe(`<p>See ${text} here.</p>\n`)
})

test('an address beyond ASCII is no link where it is code, or is one already', () => {
  for (const text of [
    '`https://a.example/é`',
    '[https://a.example/é](https://b.example)',
    '<https://a.example/é>',
  ])
    expect(elementsOf(renderBody(text)).filter(({ tag }) => tag === 'a').length).toBeLessThan(2)
  expect(renderBody('`https://a.example/é`')).not.toContain('<a')
})

test('an address with very many marks at its end takes no longer than its length', () => {
  const marks = ')'.repeat(100_000)
  expect(renderBody(`https://a.example/é${marks}`)).toContain(`</a>${marks}`)
})
