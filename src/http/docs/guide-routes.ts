import { Elysia } from 'elysia'
import { DomainError } from '../../errors'
import { GUIDES } from './guides'
import { guidePath, renderPage, titleOf } from './layout'
import { renderGuide } from './render'

/** Nothing from other hosts, and nothing inline. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; frame-ancestors 'none'"

/** The guides of this version as pages, so that the documentation is where Arden is. */
export const guideRoutes = new Elysia({ name: 'guides' }).get(
  '/docs/guides/:name',
  ({ params: { name } }) => {
    const markdown = GUIDES.get(name)
    if (markdown === undefined)
      throw new DomainError(
        'NOT_FOUND',
        `There is no guide ${name}. The guides are ${[...GUIDES.keys()].join(', ')}.`,
      )
    const main = `<main class="guide">\n${renderGuide(markdown)}\n</main>`
    return new Response(renderPage({ title: titleOf(markdown), path: guidePath(name), main }), {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
    })
  },
)
