import { Elysia } from 'elysia'
import { isLoopbackName } from '../../config/loopback-name'
import { DomainError } from '../../errors'
import { GUIDES } from './guides'
import { guidePath, renderPage, titleOf } from './layout'
import { renderGuide } from './render'

/** Nothing from other hosts, and nothing inline. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; frame-ancestors 'none'"

/**
 * The guides of this version as pages, so that the documentation is where Arden is. Their commands have the URL of this
 * server where it is known: `publicUrl`, or on the reader's machine that of the request.
 */
export const guideRoutes = (publicUrl: string | undefined) =>
  new Elysia({ name: 'guides' })
    .get('/docs/guides', () => Response.redirect(guidePath('quickstart')))
    .get('/docs/guides/:name', ({ params: { name }, request }) => {
      const markdown = GUIDES.get(name)
      if (markdown === undefined)
        throw new DomainError(
          'NOT_FOUND',
          `There is no guide ${name}. The guides are ${[...GUIDES.keys()].join(', ')}.`,
        )
      const { origin, hostname } = new URL(publicUrl ?? request.url)
      // The quick start is about a server on the reader's machine. Another server behind a proxy does not know whether it
      // is reached by https, and a key must not be sent without.
      const isKnown = isLoopbackName(hostname) || (publicUrl !== undefined && name !== 'quickstart')
      const main = `<main class="guide">\n${renderGuide(markdown, isKnown ? origin : undefined)}\n</main>`
      return new Response(renderPage({ title: titleOf(markdown), path: guidePath(name), main }), {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
      })
    })
